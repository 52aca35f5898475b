import { createHash } from 'node:crypto';
import { isRecord, readJson } from '../../base/safe-json.ts';

/** P-091: identifies exactly these files; a changed file invalidates what was confirmed. */
export function handoffToken(run: string, texts: readonly string[]): string {
  const hash = createHash('sha256').update(run);
  for (const text of texts) hash.update(`\n${Buffer.byteLength(text)}\n`).update(text);
  return hash.digest('hex').slice(0, 32);
}

/** P-049: what an analysis or brainstorm hands over in a fenced block of the task. */
export type HandoffSpec = {
  source: string;
  summary: string;
  scope: { objective: string; files: string[]; criteria: string[] }[];
  anchors: string[];
  findings: string[];
  decisions: string[];
};

const opening = /^ {0,3}```+json:handoff-spec[^\n]*\n/m;
const closing = /^ {0,3}```+[ \t]*$/m;

/** The handed-over specification; a malformed one counts as none. */
export function readHandoffSpec(task: string): HandoffSpec | undefined {
  const body = fencedBody(task);
  const reading = body === undefined ? undefined : readJson(body, 1_000_000);
  if (reading === undefined || !reading.ok || !isRecord(reading.value)) return undefined;
  const spec = reading.value;
  return {
    source: typeof spec['source'] === 'string' ? spec['source'] : 'analysis',
    summary: typeof spec['summary'] === 'string' ? spec['summary'] : '',
    scope: recordsIn(spec['implementation_scope']).map((item) => ({
      objective: textOf(item['objective'] ?? item['title'] ?? item['description']),
      files: textsIn(item['target_files']),
      criteria: textsIn(item['acceptance_criteria'] ?? item['acceptance']),
    })),
    anchors: textsIn(spec['code_anchors']).slice(0, 10),
    findings: textsIn(spec['key_findings']),
    decisions: textsIn(spec['decision_context']),
  };
}

/** Two searches: what the first block lacks, a later one lacks too. */
function fencedBody(task: string): string | undefined {
  const open = opening.exec(task);
  if (open === null) return undefined;
  const rest = task.slice(open.index + open[0].length);
  const end = rest.search(closing);
  return end < 0 ? undefined : rest.slice(0, end);
}

/** The text for the planner. */
export function renderHandoff(spec: HandoffSpec): string {
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];
  return [
    ...(spec.summary === '' ? [] : [spec.summary]),
    ...part(
      'Scope, one task each',
      spec.scope.map(
        ({ objective, files, criteria }) =>
          `${objective}${files.length === 0 ? '' : ` (${files.join(', ')})`}${criteria.length === 0 ? '' : `; done when ${criteria.join('; ')}`}`,
      ),
    ),
    ...part('Findings', spec.findings),
    ...part('Decisions', spec.decisions),
    ...part('Places', spec.anchors),
  ].join('\n');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return '';
  return Object.values(value)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ');
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf).filter((text) => text !== '') : [];
}

function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
