import type { ReviewerNote } from '../../../prompts/feature/meta.ts';

const mostItems = 5;
const mostCharacters = 100;

/** §2C: how a phase went, in at most twelve lines; the first sentence that fits is taken. */
export function phaseOutcome(
  phase: string,
  iterations: number,
  capReached: boolean,
  notes: readonly ReviewerNote[],
): string {
  const shown = notes
    .slice(0, mostItems)
    .map(({ severity, description }) => `  [${mark(severity)}] ${cut(description)}`);
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

function mark(severity: string): string {
  return { blocker: 'B', warning: 'W' }[severity] ?? 'S';
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= mostCharacters ? line : `${line.slice(0, mostCharacters - 1).toWellFormed()}…`;
}
