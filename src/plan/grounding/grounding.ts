import type { Plan } from '../../base/schema/judgements/plan.ts';
import { checkCitation } from '../../repo/index/citation.ts';
import { fileKind } from '../../repo/index/file-kinds.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { readPlan } from '../plan-text.ts';
import { type CommandLookup, groundCommands } from './commands.ts';
import { type DecidedPoint, groundDecisions } from './decisions.ts';
import { groundFiles, groundSymbols, groundTests } from './files.ts';
import { factsOn, type GroundingFact, type GroundingReport, reportOf } from './report.ts';
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
