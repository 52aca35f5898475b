import { formatElapsed } from '../base/text/strings.ts';
import type { DiagramOutcome } from '../plan/diagram.ts';

/** L-020, L-032: the steps in their order, with the short names of progress lines. */
export const steps = {
  '0': 'setup',
  '1': 'branch',
  '1c': 'questions',
  '1d': 'discussion r1',
  '2a': 'sketches',
  '2a.5': 'dialectic',
  '2b': 'full plan',
  '3': 'plan review',
  '3.5': 'discussion r2',
  '3b': 'arch diagram',
  '4': 'rejected findings',
  '5': 'cleanup',
} as const;

export type Step = keyof typeof steps;

/** JavaScript puts object keys that look like integers first, so the order is listed here. */
export const stepOrder: readonly Step[] = [
  '0',
  '1',
  '1c',
  '1d',
  '2a',
  '2a.5',
  '2b',
  '3',
  '3.5',
  '3b',
  '4',
  '5',
];

/** L-008: what a caller puts before our step numbers and names. */
export type StepPrefix = { number: string; path: string };

export const noPrefix: StepPrefix = { number: '', path: '' };

/** L-008: split at the first `::`; without one the whole value is the number. */
export function parseStepPrefix(value: string): StepPrefix {
  const split = value.indexOf('::');
  return split === -1
    ? { number: value, path: '' }
    : { number: value.slice(0, split), path: value.slice(split + 2) };
}

/** L-033 */
export const separator = '━'.repeat(80);

/** L-035 */
export const icons = {
  start: '🔶',
  done: '✅',
  skip: '⏩',
  bypass: '⏭️',
  warning: '⚠',
  rebase: '🔃',
  waiting: '⏳',
  quick: '⚡',
  status: '📊',
} as const;

/** L-030, L-031: `1.2a.5: design plan | dialectic`. */
export function stepName(step: Step, prefix: StepPrefix = noPrefix, name: string = steps[step]): string {
  const path = prefix.path === '' ? name : `${prefix.path} | ${name}`;
  return `${prefix.number}${step}: ${path}`;
}

/** L-033: separator and start line; only these are quoted and bold. */
export function startLine(step: Step, prefix: StepPrefix = noPrefix, payload?: string): string {
  return `${separator}\n> **${icons.start} ${stepName(step, prefix)}${payload === undefined ? '' : ` — ${payload}`}**`;
}

/** L-030, L-036: a line that ends a step or an item of work, with the time since its start line. */
export function endLine(
  kind: 'done' | 'skip' | 'bypass',
  step: Step,
  payload: string,
  elapsedMs: number,
  prefix: StepPrefix = noPrefix,
): string {
  return `${icons[kind]} ${stepName(step, prefix)} — ${payload} (${formatElapsed(elapsedMs)})`;
}

/** L-533: counts of zero are left out. */
export function dialecticPayload(
  counts: Record<'voted' | 'fallback-to-synthesis' | 'bucket-skipped' | 'over-cap', number>,
): string {
  const parts = [
    [counts.voted, 'voted'],
    [counts['fallback-to-synthesis'], 'fallback'],
    [counts['bucket-skipped'], 'bucket-skipped'],
    [counts['over-cap'], 'over-cap'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(', ');
}

/** The fixed payloads of the steps, in one place. */
export const payloads = {
  auto: 'skipped (auto mode)',
  noQuestions: 'no clarifying questions needed',
  noUsableAnswer: 'skipped (no agent gave a usable answer)',
  noScopeDecisions: 'no scope decisions require discussion',
  noFurtherDecisions: 'no additional decisions require discussion',
  resolved: (count: number) => `${count} decisions resolved`,
  synthesisSaved: 'synthesis saved',
  noContestedDecisions: 'no contested decisions',
  saved: 'saved',
  diagramGenerated: 'generated',
  noSuggestions: 'no suggestions raised',
  allImplemented: 'all suggestions implemented',
  complete: 'design complete!',
  usingBranch: (branch: string) => `using existing: ${branch}`,
} as const;

/** L-781, C-19: step 4 in three texts; `compatible` keeps the one line of old for both empty cases. */
export function rejectedPayload(
  raised: number,
  rejected: number,
  { nested = false, compatible = false } = {},
): string {
  if (rejected > 0) return nested ? payloads.saved : `${rejected} suggestions not implemented`;
  return raised === 0 && !compatible ? payloads.noSuggestions : payloads.allImplemented;
}

/** L-178, L-723 */
export const overflowLines = {
  round1: '⏩ Remaining scope questions deferred to implementation.',
  round2: '⏩ Remaining design questions deferred to implementation.',
} as const;

/** L-743, L-744, L-031, L-036: the line for people; `undefined` when there is nothing to warn about. */
export function diagramWarning(
  outcome: DiagramOutcome,
  elapsed: string,
  prefix: StepPrefix = noPrefix,
): string | undefined {
  if (outcome.status === 'rejected') {
    return `**⚠ ${stepName('3b', prefix, 'architecture diagram')} — rejected by mermaid sanitizer (REASON_TOKEN=${outcome.tokens.join(',')}); proceeding without diagram.**`;
  }
  if (outcome.status === 'generation-failed') {
    return `**⚠ ${stepName('3b', prefix)} — generation failed, proceeding without diagram (${elapsed})**`;
  }
  return undefined;
}

/** L-041 */
export type SeatStatus =
  | { state: 'pending' }
  /** `by`: another agent than the one announced. */
  | { state: 'done'; elapsedMs: number; by?: string | undefined }
  | { state: 'failed'; elapsedMs: number }
  | { state: 'skipped' };

/** The agent that took a seat which was announced for another one. */
export function substituteIn(planned: string | undefined, agent: string): string | undefined {
  return planned === undefined || planned === agent ? undefined : agent;
}

export type StatusTable = 'sketches-regular' | 'sketches-quick' | 'reviewers';

const titles: Record<StatusTable, string> = {
  'sketches-regular': 'Sketches (regular)',
  'sketches-quick': 'Sketches (quick)',
  reviewers: 'Reviewers',
};

/** L-040: one line for all seats, in their fixed order and under their fixed names. */
export function statusLine(
  table: StatusTable,
  seats: readonly { label: string; status: SeatStatus }[],
): string {
  return statusRow(titles[table], seats);
}

/** The same under a given title. */
export function statusRow(title: string, seats: readonly { label: string; status: SeatStatus }[]): string {
  const cells = seats.map(({ label, status }) => `${label}: ${cell(status)} |`);
  return `📊 ${title}: | ${cells.join(' ')}`;
}

function cell(status: SeatStatus): string {
  switch (status.state) {
    case 'pending':
      return '⏳';
    case 'skipped':
      return '⊘';
    case 'done':
      return `✅ ${formatElapsed(status.elapsedMs)}${status.by === undefined ? '' : ` by ${status.by}`}`;
    case 'failed':
      return `❌ ${formatElapsed(status.elapsedMs)}`;
  }
}
