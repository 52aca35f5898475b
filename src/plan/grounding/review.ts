import type { Finding, FocusArea, Review } from '../../base/schema/judgements/review.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { linesOf } from '../../repo/index/snapshot.ts';
import type { GroundingCheckName, GroundingFact, GroundingReport } from './report.ts';

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
  symbol: 'Name the symbol as it is declared, with its file, or mark it as new.',
  command: 'Name a script, target or program that exists.',
  section: 'Write the section.',
  tests: 'Name the test files to add or change.',
  decision: 'Name the decision by its id and say how the plan follows it.',
  citation: 'Correct the place or take it out.',
};

/** The deterministic reviewer: what the check found wrong, as findings like those of any other reviewer. */
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
