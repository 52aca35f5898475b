import { type Part, words } from './part.ts';

/** How the domain reviewer of the phase ended. */
export type DomainOutcome = {
  reviewer: string;
  approved: boolean;
  iteration: number;
  max: number;
  unresolved: readonly string[];
};

/** T-047, T-048: what the phase reviewer is told about the review before it. */
export function outcomePart({ reviewer, approved, iteration, max, unresolved }: DomainOutcome): Part {
  const result = approved
    ? `APPROVED at iteration ${iteration}/${max}`
    : `FAILED at iteration cap (${max}/${max})`;
  const lines = [`- Reviewer: ${reviewer}`, `- Result: ${result}`];
  if (unresolved.length === 0) {
    return words(
      'domain-outcome',
      [...lines, '- Unresolved issues: none'].join('\n'),
      'Domain Reviewer Outcome',
    );
  }
  return {
    name: 'domain-outcome',
    heading: 'Domain Reviewer Outcome',
    text: [...lines, '- Unresolved issues:'].join('\n'),
    untrusted: [
      {
        tag: 'unresolved_issues',
        content: unresolved.map((issue) => `- ${issue}`).join('\n'),
        limit: 60_000,
      },
    ],
  };
}
