import type { Finding, FocusArea, Review } from '../../base/schema/judgements/review.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { linesOf } from '../../repo/index/snapshot.ts';

const focusOf: Readonly<Record<GroundingCheckName, FocusArea>> = {
  file: 'correctness',
  symbol: 'correctness',
  command: 'correctness',
  section: 'code-quality',
  tests: 'risk-integration',
  decision: 'architecture',
  citation: 'correctness',
};

const remedies: Readonly<Record<GroundingCheckName, string>> = {
  file: 'Name a file that exists at the base commit, or mark it as new.',
  symbol: 'Name the symbol as declared, with its file, or mark it as new.',
  command: 'Name a script, target or program that exists.',
  section: 'Write the section.',
  tests: 'Name the test files to add or change.',
  decision: 'Name the decision by its id and say how the plan follows it.',
  citation: 'Correct the place or take it out.',
};

/** The findings of the plan check, in the form of any other review. */
export function reviewFromGrounding(report: GroundingReport, index: RepositoryIndex): Review {
  const open = report.facts.filter(({ severity }) => severity !== 'none');
  return { findings: open.map((fact) => findingOf(fact, index)) };
}

function findingOf(fact: GroundingFact, index: RepositoryIndex): Finding {
  const { check, subject, result, severity, basis, reason, at } = fact;
  const weaker = basis === 'words' ? ' This was only looked up by words.' : '';
  return {
    title: `Plan check: ${check} ${subject}`.slice(0, 200),
    focusArea: focusOf[check],
    severity: severity === 'error' ? 'Important' : 'Nit',
    concern: `The plan names the ${check} "${subject}"; at the base commit it is ${result}: ${reason}.${weaker}`,
    suggestedRevision: remedies[check],
    citations: at === undefined ? [] : [citationAt(at, index)],
    outOfScope: false,
  };
}

function citationAt({ path, line, endLine }: NonNullable<GroundingFact['at']>, index: RepositoryIndex) {
  const text = linesOf(index.byPath.get(path)?.file.text ?? '')[line - 1]?.trim() ?? '';
  return {
    file: path,
    line,
    endLine: endLine === line ? null : endLine,
    quote: text === '' ? null : text.slice(0, 400),
  };
}

/** What is checked of a plan against the repository at its base commit. */
const groundingChecks = ['file', 'symbol', 'command', 'section', 'tests', 'decision', 'citation'] as const;
type GroundingCheckName = (typeof groundingChecks)[number];

/** One fact about one claim of a plan, and what follows from it. */
export type GroundingFact = {
  check: GroundingCheckName;
  /** The path, symbol, command, section or decision the plan names. */
  subject: string;
  /** A new file is `missing` without error. */
  result: 'found' | 'missing' | 'unchecked';
  severity: 'none' | 'warning' | 'error';
  /** By a parser or a listing, or only by a search for the word. */
  basis: 'exact' | 'words';
  reason: string;
  /** Where it was found, or the nearest place. */
  at?: { path: string; line: number; endLine: number };
};

/** Makes the facts about one claim: `fact(result, severity, reason, at)`. */
export function factsOn(check: GroundingCheckName, subject: string, basis: GroundingFact['basis'] = 'exact') {
  return (
    result: GroundingFact['result'],
    severity: GroundingFact['severity'],
    reason: string,
    at?: GroundingFact['at'],
  ): GroundingFact => ({
    check,
    subject,
    basis,
    result,
    severity,
    reason,
    ...(at === undefined ? {} : { at }),
  });
}

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
