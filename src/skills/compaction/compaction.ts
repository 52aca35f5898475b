import { createHash } from 'node:crypto';
import { linesText } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { readCompactMarks } from '../model/compact.ts';
import { readPhaseFile, readSteps } from '../model/phase-file.ts';

/** P-160, section 1C.8: the durable todo list of a run, as data. Writing and locking it is the engine's business. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';

export type TodoEntry = {
  id: string;
  kind: 'phase' | 'sub' | 'batch';
  parent?: string;
  content: string;
  activeForm: string;
  status: TodoStatus;
  phaseFile?: string;
  executor?: string;
  cliId?: string;
  attempts: number;
  startedAt?: string;
  endedAt?: string;
  note?: string;
};

export type ActivePhase = {
  phase: string;
  file: string;
  sha256: string;
  steps: readonly string[];
  cursor: string | undefined;
};

export type TodoList = {
  version: 1;
  sessionId: string;
  skill: string;
  rev: number;
  updatedAt: string;
  active: ActivePhase | undefined;
  items: readonly TodoEntry[];
};

/** P-161, P-141: what is wrong with a list. An empty answer means it protects its active phase. */
export function todoProblems({ items }: Pick<TodoList, 'items'>): string[] {
  const problems: string[] = [];
  const phases = items.filter(({ kind }) => kind === 'phase');
  const active = phases.filter(({ status }) => status === 'in_progress');
  if (phases.length === 0 && items.length > 0) problems.push('The list has items but no phase.');
  if (active.length > 1)
    problems.push(`${active.length} phases are in progress: ${active.map(({ id }) => id).join(', ')}.`);
  const ids = new Set<string>();
  for (const { id, kind, parent, status } of items) {
    if (ids.has(id)) problems.push(`The id ${id} occurs twice.`);
    ids.add(id);
    if (kind === 'phase') continue;
    const owner = phases.find((phase) => phase.id === parent);
    if (owner === undefined) problems.push(`${id} belongs to no phase.`);
    else if (status === 'in_progress' && owner.status !== 'in_progress')
      problems.push(`${id} is in progress but its phase ${owner.id} is ${owner.status}.`);
  }
  return problems;
}

/** T-03: sub-items go under their phase; the phases stay whatever is attached. */
export function attachItems(
  list: TodoList,
  phase: string,
  items: readonly Omit<TodoEntry, 'parent'>[],
): TodoList {
  const kept = list.items.filter(({ parent }) => parent !== phase);
  const at = kept.findIndex(({ id }) => id === phase);
  const attached = items.map((item): TodoEntry => ({ ...item, parent: phase }));
  return {
    ...list,
    rev: list.rev + 1,
    items: [...kept.slice(0, at + 1), ...attached, ...kept.slice(at + 1)],
  };
}

/** P2: sub-items of a finished phase go, the phase takes their outcome. */
export function collapsePhase(list: TodoList, phase: string, status: TodoStatus): TodoList {
  const items = list.items
    .filter(({ parent }) => parent !== phase)
    .map((item) => (item.id === phase ? { ...item, status } : item));
  return { ...list, rev: list.rev + 1, items };
}

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
