import type { Place } from '../../council/call/once.ts';
import { chooseTransport, type Transport } from '../../prompts/compile.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import type { DomainOutcome } from '../../prompts/markers.ts';
import { compose, type NonceSource } from '../../prompts/part.ts';
import type { DispatchQuestion } from '../../prompts/resume/decide.ts';
import { type Delta, deltaSince, fixSummariesSince, type ResumeState } from '../../prompts/resume/state.ts';
import { finalValidation, resumedReview } from '../../prompts/resume/templates.ts';
import { type Dispatch, retryPrompt } from '../../prompts/roles/shapes.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { issueLines, logDispatch } from './records.ts';
import { type GateResult, judgeAnswer } from './rules/gate.ts';
import { type ReviewAnswer, type ReviewIssue, readReviewAnswer } from './rules/review-answer.ts';
import {
  type CallOutcome,
  callRole,
  type RoleCall,
  type RolePort,
  type RoleReading,
  type RoleRequest,
  type RoleResult,
  sessionKey,
  shownTexts,
} from './rules/role-call.ts';
import { readWaivers } from './rules/waivers.ts';
import { type FeatureRun, unanswered } from './run.ts';

export type RoleReview = {
  command: string;
  role: string;
  iteration: number;
  max: number;
  /** The same round is repeated. */
  retry: boolean;
  /** Counts restarted loops; the first has no number. */
  series?: number | undefined;
  feature: FeatureFiles;
  state: ResumeState;
  resumes: boolean;
  /** What the role found in its last review in this run. */
  previous?: readonly ReviewIssue[] | undefined;
  place?: Place;
} & Partial<Pick<ReviewCall, 'outcome' | 'code' | 'commit' | 'finalValidation'>>;

export type Reviewed = {
  state: ResumeState;
  label: string;
  /** Milliseconds. */
  time: number;
  markers: readonly string[];
  /** Missing when it could not be read. */
  answer?: ReviewAnswer;
  /** An unreadable answer is a failed review with nothing to fix. */
  result: GateResult;
};

/** One review by one role, judged by the gate. An agent that cannot be reached stops the run; an unreadable answer does not. */
export async function reviewRole(run: FeatureRun, review: RoleReview): Promise<Reviewed> {
  const { reviewer, artifacts, directory, gate } = run.inputs;
  const { command, role, retry, feature, resumes, previous, place } = review;
  const dispatch = dispatchFor(command, role, artifacts);
  const task = `${command}-${role}`;
  const series = review.series === undefined ? '' : `${review.series}.`;
  const label = `${command} ${role} ${series}${review.iteration}${retry ? ' again' : ''}`;
  const time = await run.now(label);
  const reviewed = await reviewOnce(
    {
      ...review,
      dispatch,
      transport: transportOf(run, dispatch, feature),
      agentResumes: resumes,
      finalValidation: review.finalValidation ?? false,
      previousIssues: previous && issueLines(previous).join('\n'),
      sessionLost: previous !== undefined && resumes && dispatch.resumable,
    },
    await run.port({ agent: reviewer, lane: label, task, place }, time),
  );
  const { state, markers, record, value: answer, outcome, problem = 'no answer' } = reviewed;
  await logDispatch(run, label, time, record);
  for (const marker of markers) run.warn(marker);
  const common = { state, label, time, markers };
  if (answer === undefined) {
    if (outcome.error !== undefined) throw unanswered(reviewer, task, problem);
    run.warn(`${label}: ${problem}`);
    return {
      ...common,
      result: { reviewer: 'rejected', gate: 'fail', open: [], waived: [], reason: problem },
    };
  }
  const waivers = await run.once(`waivers ${label}`, () => readWaivers(directory));
  const result = judgeAnswer(answer, waivers, gate);
  const how = record.kind === 'resumed' ? ', session continued' : '';
  run.note(`${label}: reviewer ${result.reviewer}, gate ${result.gate} (${result.reason})${how}`);
  return { ...common, answer, result };
}

/** lean/C-05, T-142: every seated agent can open files, so only request and size decide. */
function transportOf({ inputs }: FeatureRun, { target }: Dispatch, { files }: FeatureFiles): Transport {
  const file = target === undefined ? undefined : files[target];
  const characters = file?.kind === 'present' ? (file.text?.length ?? file.bytes) : 0;
  const { transport: requested, inlineUpTo } = inputs;
  return chooseTransport({ canRead: true, characters, requested, inlineUpTo });
}

export type ReviewCall = RoleCall & {
  transport: Transport;
  finalValidation: boolean;
  /** There was a session in this run whose id is gone. */
  sessionLost?: boolean;
  previousIssues?: string;
  outcome?: DomainOutcome;
  commit?: DispatchQuestion['commit'];
};

/** T-089…T-107: one review of one iteration. */
export function reviewOnce(call: ReviewCall, port: RolePort): Promise<RoleResult<ReviewAnswer>> {
  const { transport, outcome, previousIssues, finalValidation: isFinal, sessionLost, commit } = call;
  const texts = shownTexts(call);
  const session = call.state.sessions[sessionKey(call.dispatch)];
  const delta: Delta = session === undefined ? { kind: 'same' } : deltaSince(session.snapshot, texts);
  return callRole(
    call,
    {
      kind: 'review',
      question: { delta, finalValidation: isFinal, sessionLost, commit },
      resumedPrompt: delta.kind === 'too-large' ? '' : resumedPrompt(call, delta, port.nonce),
      fresh: { transport, outcome, previousIssues },
      read: (first, sent) => readOrRetry(first, sent, call, port),
    },
    port,
  );
}

/** T-118: one more try for an answer that cannot be read, in the same session where there is one. */
async function readOrRetry(
  first: CallOutcome,
  sent: RoleRequest,
  call: ReviewCall,
  port: RolePort,
): Promise<RoleReading<ReviewAnswer>> {
  const shown = Object.values(shownTexts(call));
  // The output of a failed call is never an answer.
  if (first.error !== undefined) return { outcome: first, problem: first.error };
  const reading = readReviewAnswer(first.text, shown);
  if (reading.ok) return { outcome: first, value: reading.answer };
  const isEmpty = first.text.trim() === '';
  // Tricky case 9: a continued session that answers nothing is gone.
  if (isEmpty && sent.resume !== undefined) return { outcome: first, problem: 'empty answer' };
  const { dispatch, agentResumes } = call;
  const session = agentResumes ? (first.session ?? sent.resume) : undefined;
  const retry = () =>
    compose(retryPrompt(dispatch, reading.problem, session === undefined ? first.text : undefined), port);
  const second = await port.call(isEmpty ? sent : { prompt: retry().text, resume: session });
  if (second.error !== undefined) return { outcome: second, problem: second.error };
  const outcome = {
    ...second,
    session: second.session ?? first.session,
    totalTokens: second.totalTokens ?? first.totalTokens,
  };
  const again = readReviewAnswer(second.text, shown);
  return again.ok ? { outcome, value: again.answer } : { outcome, problem: again.problem };
}

function resumedPrompt(
  { dispatch, iteration, max, state, finalValidation: isFinal }: ReviewCall,
  delta: Exclude<Delta, { kind: 'too-large' }>,
  nonce: NonceSource,
): string {
  const key = sessionKey(dispatch);
  const common = { dispatch, delta, fixSummary: fixSummariesSince(state, key), iteration, max };
  const lastIteration = state.sessions[key]?.lastIteration ?? 1;
  const draft = isFinal ? finalValidation({ ...common, lastIteration }) : resumedReview(common);
  return compose(draft, { nonce }).text;
}
