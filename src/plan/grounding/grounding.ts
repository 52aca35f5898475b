import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Finding, FocusArea, Review } from '../../base/schema/judgements/review.ts';
import { pathsIn } from '../../base/text/citations.ts';
import { checkCitation } from '../../repo/index/citation.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { fileKind, linesOf } from '../../repo/index/snapshot.ts';
import { countTerms } from '../../repo/index/words.ts';
import { readPlan } from '../plan-text.ts';
import { type CommandLookup, groundCommands, groundFiles, groundSymbols, groundTests } from './files.ts';
import { type GroundingSubject, planSections, subjectOfPlan, subjectOfText } from './subject.ts';

export type GroundingOptions = { decided?: readonly DecidedPoint[]; lookup: CommandLookup };

/** Checks every claim of a plan, typed or as text, against the repository at the base commit. Pure and without a model. */
export function groundPlan(
  index: RepositoryIndex,
  plan: Plan | string,
  { decided = [], lookup }: GroundingOptions,
): GroundingReport {
  const subject = typeof plan === 'string' ? subjectOf(plan) : subjectOfPlan(plan);
  return reportOf(index.snapshot.commit, [
    ...groundSections(subject),
    ...groundFiles(index, subject),
    ...groundTests(index, subject),
    ...groundSymbols(index, subject),
    ...groundCommands(index, subject.commands, lookup),
    ...groundDecisions(subject, decided),
    ...groundCitations(index, subject),
  ]);
}

/** Plan text of our own form is read exactly; what people and other tools write, by its headings. */
function subjectOf(text: string): GroundingSubject {
  const own = text.startsWith('# Plan: ') ? readPlan(text) : undefined;
  return own?.ok ? subjectOfPlan(own.plan) : subjectOfText(text);
}

function groundSections({ sections, files }: GroundingSubject): GroundingFact[] {
  const changesSource = files.some(({ path }) => fileKind(path) === 'source');
  return planSections.map(({ name }) => {
    const fact = factsOn('section', name);
    if (sections.has(name)) return fact('found', 'none', 'present');
    if (name !== 'Failure modes') return fact('missing', 'error', 'the section does not exist or is empty');
    return changesSource
      ? fact('missing', 'warning', 'source files change; three are expected')
      : fact('missing', 'none', 'may be omitted: no source file changes');
  });
}

function groundCitations(index: RepositoryIndex, { citations, files }: GroundingSubject): GroundingFact[] {
  const created = new Set(files.filter(({ action }) => action === 'new').map(({ path }) => path));
  return citations.flatMap((citation): GroundingFact[] => {
    const fact = factsOn('citation', citation);
    const check = checkCitation(index.snapshot, citation);
    if (check.status === 'missing')
      return created.has(citation.replace(/:\d.*$/, '')) ? [] : [fact('missing', 'warning', check.reason)];
    const { path, line, endLine } = check;
    const reason = check.status === 'moved' ? check.reason : 'the line exists';
    return [fact('found', 'none', reason, { path, line, endLine })];
  });
}

/** What the dialectic decided, as far as a plan must follow it. */
export type DecidedPoint = {
  number: number;
  title: string;
  /** The option that was decided on. */
  resolution: string;
  /** Only `voted` binds; the others keep the option of the synthesis. */
  disposition: string;
  /** The option that lost. */
  overruled?: string;
  /** The files that the decision is about. */
  affectedFiles?: readonly string[];
  /** L-534: findings accepted in review; a plan that names one as its reason may depart from the resolution. */
  accepted?: readonly string[];
};

/** Of the telling words of a resolution this share must be in the plan. */
const sharedWords = 0.3;

/** L-562, L-566: checks what the plan says about each voted decision against its resolution; the others must be mentioned. */
export function groundDecisions(
  subject: GroundingSubject,
  decided: readonly DecidedPoint[],
): GroundingFact[] {
  return decided.map((point) => {
    const id = `DECISION_${point.number}`;
    const fact = factsOn('decision', `${id}: ${point.title}`, 'words');
    if (point.disposition === 'voted') return fact(...followed(subject, point, subject.decisions.get(id)));
    return subject.decisions.has(id) || new RegExp(`\\b${id}\\b`, 'i').test(subject.text)
      ? fact('found', 'none', 'mentioned')
      : fact('missing', 'warning', `${point.disposition}; the plan does not mention it`);
  });
}

type Verdict = [GroundingFact['result'], GroundingFact['severity'], reason: string];

/** Whether the plan follows a voted resolution: by the author's statement, and by the files and symbols that it names. */
function followed(subject: GroundingSubject, point: DecidedPoint, statement: string | undefined): Verdict {
  const { resolution, overruled = '', affectedFiles = [], accepted = [] } = point;
  const broken = (reason: string): Verdict => ['missing', 'error', reason];
  const doubtful = (reason: string): Verdict => ['unchecked', 'warning', reason];
  if (statement === undefined)
    return broken('voted, but the plan does not say how it follows the resolution');
  const reason = accepted.find((id) => new RegExp(`\\b${id}\\b`).test(statement));
  if (reason !== undefined) return ['found', 'none', `replaced by ${reason}, accepted in review`];
  const places = placesIn(resolution);
  const absent = places.filter((place) => !names(subject, statement, place));
  if (absent.length > 0) return broken(`the resolution names ${absent.join(', ')}; the plan does not`);
  // The places are checked; a file that both options name says nothing about which one is meant.
  const prose = (text: string) => termsOf(places.reduce((rest, place) => rest.replaceAll(place, ' '), text));
  const [wanted, lost, said] = [prose(resolution), prose(overruled), prose(statement)];
  const own = wanted.filter((term) => !lost.includes(term));
  if (own.length > 0 && !own.some((term) => said.includes(term))) {
    return broken(
      lost.some((term) => !wanted.includes(term) && said.includes(term))
        ? 'what the plan says about it is the option that lost'
        : 'what the plan says about it has nothing of the resolution',
    );
  }
  const present = new Set([...said, ...termsOf(subject.text)]);
  const share = wanted.length === 0 ? 1 : wanted.filter((term) => present.has(term)).length / wanted.length;
  if (share < sharedWords)
    return doubtful(`only ${Math.round(share * 100)}% of the resolution's words are in the plan`);
  if (affectedFiles.length > 0 && !affectedFiles.some((file) => names(subject, statement, file)))
    return doubtful(`the plan names none of the decision's files (${affectedFiles.join(', ')})`);
  const checked = ['statement', ...places].join(', ');
  return ['found', 'none', `follows the resolution; checked: ${checked}`];
}

/** Files, and symbols written as code, that a resolution names. */
function placesIn(resolution: string): string[] {
  const symbols = [...resolution.matchAll(/`([A-Za-z_$][\w$.]*)(?:\([^`]*\))?`/g)].map(
    ([, name = '']) => name,
  );
  return [...new Set([...pathsIn(resolution).map(({ path }) => path), ...symbols])];
}

function names(subject: GroundingSubject, statement: string, place: string): boolean {
  return (
    subject.files.some(({ path }) => path === place) ||
    subject.tests.includes(place) ||
    subject.symbols.some(({ name }) => name === place) ||
    `${subject.text}\n${statement}`.includes(place)
  );
}

const termsOf = (text: string): string[] => [...countTerms(text).keys()];

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
