import { createHash } from 'node:crypto';
import { linesText } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { readCompactMarks } from '../model/compact.ts';
import { readPhaseFile, readSteps } from '../model/phase-file.ts';
import type { TodoList } from './todo-list.ts';

export type CompactionPlan = {
  /** The active phase document, to be kept whole. */
  keep: readonly string[];
  summarise: readonly string[];
  /** Not loaded yet, so there is nothing to keep. */
  absent: readonly string[];
};

/** P-162: what a compaction may do with each phase document, by the status of its todo item. */
export function compactionPlan({ items }: Pick<TodoList, 'items'>): CompactionPlan {
  const plan = { keep: [] as string[], summarise: [] as string[], absent: [] as string[] };
  for (const { kind, status, phaseFile } of items) {
    if (kind !== 'phase' || phaseFile === undefined) continue;
    if (status === 'in_progress') plan.keep.push(phaseFile);
    else if (status === 'pending') plan.absent.push(phaseFile);
    else plan.summarise.push(phaseFile);
  }
  return plan;
}

export type SentinelState = 'full' | 'partial' | 'sentinel-only' | 'absent';

export type SentinelCheck = {
  state: SentinelState;
  /** Steps of the file that the context lacks, or has in another wording. */
  missing: readonly string[];
  /** The document to read again; undefined when it is complete. */
  reread: { path: string; text: string } | undefined;
};

/**
 * P-163, T-10: how much of a phase document a context still holds. Step names alone prove nothing, since summaries keep
 * names: a step counts only with its text, compared by hash with blanks ignored.
 */
export function checkSentinel(context: string, file: { path: string; text: string }): SentinelCheck {
  const document = parseDocument(file.path, file.text);
  const steps = readSteps(document);
  const held = contextBlocks(context);
  const whole = normal(context);
  const missing = steps
    .filter((step) => {
      const body = normal(linesText(document, step.line, step.endLine));
      return !held.has(hash(body)) && !whole.includes(body);
    })
    .map(({ id }) => id);
  if (steps.length === 0) {
    const all = whole.includes(normal(file.text.slice(document.bodyStart)));
    return all
      ? { state: 'full', missing: [], reread: undefined }
      : { state: hasSentinel(context, file.path) ? 'sentinel-only' : 'absent', missing: [], reread: file };
  }
  if (missing.length === 0) return { state: 'full', missing, reread: undefined };
  if (missing.length < steps.length) return { state: 'partial', missing, reread: file };
  return { state: hasSentinel(context, file.path) ? 'sentinel-only' : 'absent', missing, reread: file };
}

/** Hashes of the step sections of a context; it may be a Markdown text with several documents in it. */
function contextBlocks(context: string): Set<string> {
  const document = parseDocument('context.md', context);
  return new Set(
    readSteps(document).map((step) => hash(normal(linesText(document, step.line, step.endLine)))),
  );
}

function hasSentinel(context: string, path: string): boolean {
  const { sentinel } = readCompactMarks(parseDocument('context.md', context));
  return sentinel !== undefined || (/COMPACT\s+SENTINEL/i.test(context) && context.includes(path));
}

function normal(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export type PhaseSnapshot = { path: string; sha256: string; steps: readonly string[]; count: number };

/** P-164: what is written down before a compaction, to notice later whether the file changed. */
export function snapshotPhase(path: string, text: string): PhaseSnapshot {
  const { steps } = readPhaseFile(parseDocument(path, text));
  return { path, sha256: hash(text), steps: steps.map(({ id }) => id), count: steps.length };
}

/**
 * P-164: what a host puts back into the context after a compaction. `changed` says that the file is not the one the
 * run started with (P-167). The text is the phase document, delimited, with the state of the run.
 */
export function recoveryText(
  list: TodoList,
  file: { path: string; text: string },
): { text: string; changed: boolean } {
  const snapshot = list.active;
  const changed = snapshot !== undefined && snapshot.sha256 !== hash(file.text);
  const open = list.items
    .filter(({ status }) => status === 'in_progress' || status === 'pending')
    .map(({ content, status }) => `- ${content} (${status})`);
  const done = list.items
    .filter(({ kind, status }) => kind === 'phase' && (status === 'completed' || status === 'skipped'))
    .map(({ content, status }) => `- ${content} (${status})`);
  const text = [
    `The context was compacted while ${list.skill} was running (session ${list.sessionId}).`,
    ...(done.length > 0 ? ['Done:', ...done] : []),
    ...(open.length > 0 ? ['Open:', ...open] : []),
    snapshot?.cursor === undefined
      ? 'Continue with the first open step.'
      : `Continue at Step ${snapshot.cursor}.`,
    ...(changed ? ['The phase document changed since the run started; compare before you continue.'] : []),
    `The active phase document, ${file.path}, in full:`,
    '',
    file.text.trimEnd(),
    '',
  ].join('\n');
  return { text, changed };
}
