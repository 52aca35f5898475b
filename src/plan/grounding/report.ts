/** What is checked of a plan against the repository at its base commit. */
export const groundingChecks = [
  'file',
  'symbol',
  'command',
  'section',
  'tests',
  'decision',
  'citation',
] as const;
export type GroundingCheckName = (typeof groundingChecks)[number];

/** One fact about one claim of a plan, and what follows from it. */
export type GroundingFact = {
  check: GroundingCheckName;
  /** The path, symbol, command, section or decision the plan names. */
  subject: string;
  /** What the repository says. A new file is rightly `missing`. */
  result: 'found' | 'missing' | 'unchecked';
  severity: 'none' | 'warning' | 'error';
  /** By a parser or a listing, or only by a search for the word. */
  basis: 'exact' | 'words';
  reason: string;
  /** Where it was found, or the nearest place to look at. */
  at?: { path: string; line: number; endLine: number };
};

export type GroundingReport = {
  commit: string;
  facts: GroundingFact[];
  errors: number;
  warnings: number;
};

export function reportOf(commit: string, facts: GroundingFact[]): GroundingReport {
  const count = (severity: GroundingFact['severity']) =>
    facts.filter((fact) => fact.severity === severity).length;
  return { commit, facts, errors: count('error'), warnings: count('warning') };
}

const marks = { none: '✓', warning: '⚠', error: '✗' } as const;

/** The report for people: what does not hold first, then one line of what does, under the mark of the worst. */
export function groundingText({ commit, facts, errors, warnings }: GroundingReport): string {
  const open = facts.filter(({ severity }) => severity !== 'none');
  const lines = [...open]
    .sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
    .map(({ severity, check, subject, result, basis, reason }) => {
      const weaker = basis === 'words' ? ' (word search only)' : '';
      return `${marks[severity]} ${check} ${subject}: ${result}${weaker}; ${reason}`;
    });
  const held = facts.length - open.length;
  const worst = errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'none';
  return [
    ...lines,
    `${marks[worst]} ${held} of ${facts.length} claims hold at ${commit.slice(0, 12)}; ${errors} errors, ${warnings} warnings`,
  ].join('\n');
}
