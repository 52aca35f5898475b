import { counted } from '../../base/text/strings.ts';
import { compose } from '../../prompts/part.ts';
import { type ResumeState, withFixSummary } from '../../prompts/resume/state.ts';
import { resumedFix } from '../../prompts/resume/templates.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { revisionMessage } from './commit.ts';
import { logDispatch } from './records.ts';
import { oneLine } from './rules/history.ts';
import { readTaskReport } from './rules/implementation-log.ts';
import { type CallOutcome, callRole, type RoleCall, type RolePort, sessionKey } from './rules/role-call.ts';
import { type ImplementRun, unanswered } from './run.ts';
import type { Work } from './work.ts';

export type FixRequest = {
  /** Names the fix; unique in the run. */
  name: string;
  round: number;
  max: number;
  issues: readonly string[];
  state: ResumeState;
  resumes: boolean;
  /** Of the commit; default: that of a fix round of the reviews. */
  message?: string;
};

export type Fixed = { state: ResumeState; markers: readonly string[]; commit: 'COMMIT_OK' | 'NO_CHANGES' };

/** T-109, T-110, T-127: has issues fixed in the run's checkout and commits; an agent that cannot be reached stops the run. */
export async function fixIssues(run: ImplementRun, work: Work, request: FixRequest): Promise<Fixed> {
  const { name, round, max, issues, state, resumes: agentResumes } = request;
  const agent = run.inputs.author;
  const task = 'implement-implementer';
  const dispatch = dispatchFor('implement', 'implementer', run.inputs.artifacts);
  const { start, feature, code } = await work.round(name);
  const time = await run.now(name);
  const fixed = await fixOnce(
    { dispatch, feature, state, issues, iteration: round, max, agentResumes, code },
    await run.port({ agent, lane: name, task, place: work.place(start, 'write') }, time),
  );
  await logDispatch(run, name, time, fixed.record);
  if (fixed.value === undefined) throw unanswered(agent, task, fixed.problem ?? 'no answer');
  const message = request.message ?? revisionMessage('implement', 'implementer', round);
  const merged = await work.merge(name, start, message);
  const isChanged = merged.kind === 'landed';
  const how = fixed.record.kind === 'resumed' ? ', session continued' : '';
  if (isChanged) run.note(`${name}: ${counted(merged.files.length, 'file')} changed${how}`);
  else run.warn(`${name}: nothing changed although issues are open (${counted(issues.length, 'issue')})`);
  return {
    state: withFixSummary(fixed.state, round, summaryOf(fixed.value)),
    markers: fixed.markers,
    commit: isChanged ? 'COMMIT_OK' : 'NO_CHANGES',
  };
}

/** T-095: the fixer's own words, short. */
function summaryOf(report: string): string {
  const { filesChanged, decisions, deviations } = readTaskReport(report);
  return oneLine(
    `Files: ${filesChanged.join(', ') || 'none named'}. Decisions: ${decisions}. Deviations: ${deviations}.`,
  );
}

/** `issues`: one line each, of failed reviewers only (T-127). */
export type FixCall = RoleCall & { issues: readonly string[] };

/** T-109, T-110: any answer that is not empty is a report. */
export function fixOnce(call: FixCall, port: RolePort) {
  const { dispatch, state, iteration, max, code = {} } = call;
  const issues = call.issues.join('\n');
  const snapshot = state.sessions[sessionKey(dispatch)]?.snapshot ?? {};
  const allFiles = Object.keys(code);
  const changedFiles = allFiles.filter((name) => snapshot[name]?.text !== code[name]);
  return callRole(
    call,
    {
      kind: 'fix',
      // The fixer made the changes, so only the issues are new to it.
      question: { delta: { kind: 'delta', stat: '', text: '' }, finalValidation: false },
      resumedPrompt: compose(resumedFix({ issues, changedFiles, allFiles, iteration, max }), port).text,
      fresh: { transport: 'reference', issues },
      read: async (outcome) => readReport(outcome),
    },
    port,
  );
}

function readReport(outcome: CallOutcome) {
  const problem = outcome.error ?? (outcome.text.trim() === '' ? 'empty answer' : undefined);
  return problem === undefined ? { outcome, value: outcome.text } : { outcome, problem };
}
