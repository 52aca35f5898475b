import { oneLine } from './history.ts';
import type { ReviewIssue } from './review-answer.ts';

const mostPerIssue = 100;
const mostCharacters = 600;

/**
 * T-099: what a revision was about, for the reviewer whose session goes on. It named the issues itself, so their first
 * words are enough; every character here counts against continuing (lean/C-02).
 */
export function fixSummary(open: readonly Pick<ReviewIssue, 'description'>[]): string {
  const issues = open.map(({ description }) => cut(oneLine(description), mostPerIssue));
  const named: string[] = [];
  for (const issue of issues) {
    if (named.join('; ').length + issue.length + 2 > mostCharacters) break;
    named.push(issue);
  }
  const rest = issues.length - named.length;
  const count = `${open.length} ${open.length === 1 ? 'issue' : 'issues'}`;
  const more = rest === 0 ? '' : `; and ${rest} more`;
  return named.length === 0 ? `Revised for ${count}.` : `Revised for ${count}: ${named.join('; ')}${more}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
