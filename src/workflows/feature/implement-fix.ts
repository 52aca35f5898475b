import { loadExactCounter } from '../../base/text/tokens.ts';
import { type ResumeState, withFixSummary } from '../../prompts/resume/state.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { type FeatureDesk, unanswered } from './desk.ts';
import type { FeatureImplementInputs } from './inputs.ts';
import { logDispatch, look } from './records.ts';
import { revisionMessage } from './rules/commit-revision.ts';
import { fixOnce } from './rules/fix-call.ts';
import { oneLine } from './rules/history.ts';
import { readTaskReport } from './rules/implementation-log.ts';
import { changedCode, landWork, openAt, placeIn, type Work } from './work.ts';

export type FixRequest = {
  /** Names the fix; unique in the run. */
  name: string;
  round: number;
  max: number;
  issues: readonly string[];
  state: ResumeState;
  resumes: boolean;
  /** Of the commit; a fix round of the reviews has its own. */
  message?: string;
  /** Files that count as changed although this run did not change them. */
  named: readonly string[];
};

export type Fixed = { state: ResumeState; markers: readonly string[]; commit: 'COMMIT_OK' | 'NO_CHANGES' };

/** T-109, T-110, T-127: issues are fixed in the run's checkout and committed; a fixer that cannot be reached stops the run. */
export async function fixIssues(
  desk: FeatureDesk<FeatureImplementInputs>,
  work: Work,
  { name, round, max, issues, state, resumes, named, message }: FixRequest,
): Promise<Fixed> {
  const start = await openAt(desk, work, 'work', name);
  const time = await desk.now(name);
  const fixed = await fixOnce(
    {
      dispatch: dispatchFor('implement', 'implementer', desk.inputs.artifacts),
      feature: await look(desk, name),
      state,
      issues,
      round,
      max,
      agentResumes: resumes,
      code: await changedCode(desk, work, start, named, name),
    },
    {
      call: ({ prompt, resume }) =>
        desk.call(desk.inputs.author, {
          lane: name,
          task: 'implement-implementer',
          prompt,
          place: placeIn(work, start, 'write'),
          ...(resume === undefined ? {} : { resume }),
        }),
      now: () => time,
      count: await loadExactCounter(),
      nonce: desk.nonce,
      overrides: desk.services.overrides,
    },
  );
  await logDispatch(desk, name, time, fixed.record);
  if (fixed.problem !== undefined)
    throw unanswered(desk.inputs.author, 'implement-implementer', fixed.problem);
  const landed = await landWork(
    desk,
    work,
    name,
    start,
    message ?? revisionMessage('implement', 'implementer', round),
  );
  const how = fixed.record.kind === 'resumed' ? ', session continued' : '';
  if (landed.kind === 'landed') desk.note(`${name}: ${countOf(landed.files.length, 'file')} changed${how}`);
  else
    desk.warn(
      `${name}: nothing changed although there was something to fix (${countOf(issues.length, 'issue')})`,
    );
  return {
    state: withFixSummary(fixed.state, round, summaryOf(fixed.report)),
    markers: fixed.markers,
    commit: landed.kind === 'landed' ? 'COMMIT_OK' : 'NO_CHANGES',
  };
}

function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** T-095: the fixer's own words, short. */
function summaryOf(report: string): string {
  const { filesChanged, decisions, deviations } = readTaskReport(report);
  return oneLine(
    `Files: ${filesChanged.join(', ') || 'none named'}. Decisions: ${decisions}. Deviations: ${deviations}.`,
  ).slice(0, 2_000);
}
