import { CharretteError } from '../../../base/errors.ts';
import { counted } from '../../../base/text/strings.ts';
import type { ReviewerNote } from '../../../prompts/feature/meta.ts';
import type { GateResult } from './gate.ts';
import type { ReviewIssue } from './review-answer.ts';
import { fingerprint } from './waivers.ts';

/** One reviewer of a phase and how many rounds it may take. */
export type Stage = { role: string; max: number };

/** T-119: the reviews of a phase: each stage until it passes or its rounds are used up, then the next. */
export type ReviewLoop<Reviewer extends Stage = Stage> = {
  readonly stages: readonly Reviewer[];
  /** T-122: all stages share one counter, and a failure restarts at the first. */
  readonly isChained: boolean;
  /** Index of the current stage; the number of stages at the end. */
  readonly stage: number;
  /** Counted from 1 (lean/C-19): the current round. */
  readonly iteration: number;
  /** T-118: the same round was repeated because the answer could not be used. */
  readonly askedAgain: boolean;
  readonly finished: readonly StageResult[];
};

export type StageResult = {
  role: string;
  approved: boolean;
  iterations: number;
  max: number;
  /** T-120: what is carried forward when the rounds are used up. */
  unresolved: readonly ReviewIssue[];
};

export function startReviewLoop<Reviewer extends Stage>(
  stages: readonly Reviewer[],
  isChained = false,
): ReviewLoop<Reviewer> {
  return { stages, isChained, stage: 0, iteration: 1, askedAgain: false, finished: [] };
}

/** What an answer means: next stage, a revision and another round, or the same question again, once. */
export function afterAnswer<Reviewer extends Stage>(
  loop: ReviewLoop<Reviewer>,
  result: GateResult,
): ReviewLoop<Reviewer> {
  const { stages, isChained, iteration, finished } = loop;
  const stage = stages[loop.stage];
  if (stage === undefined) {
    throw new CharretteError({ code: 'internal', message: 'An answer came after the last review stage.' });
  }
  // Tricky case 10: with nothing to fix the same question is asked once more.
  if (result.gate === 'ask-again' && !loop.askedAgain) return { ...loop, askedAgain: true };
  const approved = result.gate === 'pass';
  const next = { ...loop, askedAgain: false };
  if (!approved && iteration < stage.max) {
    const restart = isChained ? { stage: 0, finished: [] } : {};
    return { ...next, ...restart, iteration: iteration + 1 };
  }
  const unresolved = approved ? [] : result.open;
  const closed = { role: stage.role, approved, iterations: iteration, max: stage.max, unresolved };
  return {
    ...next,
    stage: isChained && !approved ? stages.length : loop.stage + 1,
    iteration: isChained ? iteration : 1,
    finished: [...finished, closed],
  };
}

/** T-131: the number that is reported is the sum over the stages, or the shared counter. */
export function totalIterations({ isChained, iteration, finished }: ReviewLoop): number {
  return isChained ? iteration : finished.reduce((sum, { iterations }) => sum + iterations, 0);
}

/** T-120: what every reviewer left open when its rounds were used up, and the issues of the last review; each once. */
export function carriedIssues(
  finished: readonly StageResult[],
  last: readonly ReviewIssue[] = [],
): ReviewIssue[] {
  const all = [...finished.flatMap(({ unresolved }) => unresolved), ...last];
  return [...new Map(all.map((issue) => [fingerprint(issue), issue])).values()];
}

/** T-132: notes of a phase: everything when its rounds were used up, else what did not block. */
export function reviewerNotes(issues: readonly ReviewIssue[], capReached: boolean): ReviewerNote[] {
  return issues
    .filter(({ severity }) => capReached || severity !== 'blocker')
    .map(({ severity, description }) => ({ severity, description }));
}

const maxItems = 5;
const maxCharacters = 100;

/** §2C: how a phase went, in at most twelve lines; the first sentence that fits is taken. */
export function phaseOutcome(
  phase: string,
  iterations: number,
  capReached: boolean,
  notes: readonly ReviewerNote[],
): string {
  const marks: Readonly<Record<string, string>> = { blocker: 'B', warning: 'W' };
  const shown = notes
    .slice(0, maxItems)
    .map(
      ({ severity, description }) => `  [${marks[severity] ?? 'S'}] ${shorten(description, maxCharacters)}`,
    );
  const rest = notes.length - shown.length;
  return [
    sentence(phase, iterations, capReached, notes),
    ...shown,
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ].join('\n');
}

function sentence(
  phase: string,
  iterations: number,
  capReached: boolean,
  notes: readonly ReviewerNote[],
): string {
  if (capReached)
    return `${phase}: review cap reached after ${iterations} iterations, issues carried forward`;
  if (iterations <= 1 && notes.length === 0) return `${phase}: approved on first pass`;
  if (notes.length === 0) return `${phase}: approved after ${iterations} iterations`;
  return `${phase}: approved with notes`;
}

const maxSummary = 600;

/**
 * T-099: what a revision was about, for the reviewer whose session continues. It named the issues itself, so their first
 * words are enough; every character counts against continuing (lean/C-02).
 */
export function fixSummary(open: readonly Pick<ReviewIssue, 'description'>[]): string {
  const issues = open.map(({ description }) => shorten(description, maxCharacters));
  const named: string[] = [];
  for (const issue of issues) {
    if (named.join('; ').length + issue.length + 2 > maxSummary) break;
    named.push(issue);
  }
  const rest = issues.length - named.length;
  const count = counted(open.length, 'issue');
  const more = rest === 0 ? '' : `; and ${rest} more`;
  return named.length === 0 ? `Revised for ${count}.` : `Revised for ${count}: ${named.join('; ')}${more}`;
}

/** On one line. */
function shorten(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return (line.length <= max ? line : `${line.slice(0, max - 1)}…`).toWellFormed();
}
