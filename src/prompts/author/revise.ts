import { data, type Part } from '../part.ts';

/** Issues of a review, one line each, as the gate sorted them. */
export type ReviewedIssues = { must: readonly string[]; may: readonly string[] };

/** T-121: what has to be resolved, and what may be. */
export function issueParts({ must, may }: ReviewedIssues): Part[] {
  const list = (issues: readonly string[]) =>
    issues.map((issue) => `- ${issue.replace(/\s+/g, ' ').trim()}`).join('\n');
  return [
    ...(must.length === 0
      ? []
      : [data('must_resolve', list(must), { heading: 'Must be resolved', limit: 100_000 })]),
    ...(may.length === 0
      ? []
      : [data('may_resolve', list(may), { heading: 'May be resolved', limit: 40_000 })]),
  ];
}
