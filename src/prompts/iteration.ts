import { type Part, words } from './part.ts';

export type IterationContext = {
  /** Counted from 1 (lean/C-19). */
  iteration: number;
  max: number;
  phaseReview?: boolean;
  /** Issues of the iteration before, as the reviewer worded them. */
  previousIssues?: string;
  /** T-103: said when a session that should have been continued is gone. */
  unavailable?: 'review' | 'fix';
};

/** T-041, T-042. */
export function iterationLine({ iteration, max, phaseReview }: IterationContext): string {
  return phaseReview === true
    ? `This is phase-review iteration ${iteration}/${max}.`
    : `This is iteration ${iteration} of ${max}.`;
}

/** T-041, T-103: which round this is and what the last one found. */
export function iterationPart(context: IterationContext): Part {
  const lines = [
    iterationLine(context),
    ...(context.unavailable === undefined
      ? []
      : [`(Fresh dispatch — prior ${context.unavailable} session unavailable.)`]),
  ];
  const issues = context.iteration > 1 ? (context.previousIssues ?? '').trim() : '';
  const part = words('iteration', lines.join('\n'), 'Iteration Context');
  if (issues === '') return part;
  return {
    ...part,
    text: [...lines, 'Previous issues to re-evaluate:'].join('\n'),
    untrusted: [{ tag: 'previous_issues', content: issues, limit: mostIssueCharacters }],
  };
}

const mostIssueCharacters = 60_000;
