import { loadExactCounter } from '../../base/text/tokens.ts';
import type { Place } from '../../council/call/once.ts';
import type { Transport } from '../../prompts/compile.ts';
import { chooseTransport } from '../../prompts/compile.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import type { ResumeState } from '../../prompts/resume/state.ts';
import type { Dispatch } from '../../prompts/roles/shapes.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import type { FeatureDesk } from './desk.ts';
import { unanswered } from './desk.ts';
import { issueLines, logDispatch } from './records.ts';
import { type GateResult, judgeAnswer } from './rules/gate.ts';
import type { ReviewAnswer, ReviewIssue } from './rules/review-answer.ts';
import { type ReviewCall, reviewOnce } from './rules/review-call.ts';
import { readWaivers } from './rules/waiver-file.ts';

export type RoleReview = {
  command: string;
  role: string;
  iteration: number;
  max: number;
  /** The same round is asked for again. */
  retry: boolean;
  /** Counts loops that began anew; the first has no number. */
  series?: number;
  feature: FeatureFiles;
  state: ResumeState;
  resumes: boolean;
  /** What the role found last, when it looked before in this run. */
  previous?: readonly ReviewIssue[];
  place?: Place;
} & Partial<Pick<ReviewCall, 'outcome' | 'code' | 'commit' | 'finalValidation'>>;

export type Reviewed = {
  state: ResumeState;
  label: string;
  /** Milliseconds. */
  time: number;
  markers: readonly string[];
  /** Absent: it could not be read. */
  answer?: ReviewAnswer;
  /** An answer that nobody could read is a failed review with nothing to fix. */
  result: GateResult;
};

/** One look of one reviewer, judged by the gate. A reviewer that cannot be reached stops the run; one that talks in riddles does not. */
export async function reviewRole(desk: FeatureDesk, review: RoleReview): Promise<Reviewed> {
  const { inputs } = desk;
  const { command, role, iteration, max, retry, feature, state, resumes, previous, place } = review;
  const dispatch = dispatchFor(command, role, inputs.artifacts);
  const series = review.series === undefined ? '' : `${review.series}.`;
  const label = `${command} ${role} ${series}${iteration}${retry ? ' again' : ''}`;
  const time = await desk.now(label);
  const count = await loadExactCounter();
  const reviewed = await reviewOnce(
    {
      dispatch,
      feature,
      state,
      iteration,
      max,
      transport: transportOf(desk, dispatch, feature),
      agentResumes: resumes,
      finalValidation: review.finalValidation ?? false,
      ...(previous === undefined
        ? {}
        : { previousIssues: issueLines(previous).join('\n'), sessionLost: resumes && dispatch.resumable }),
      ...(review.outcome === undefined ? {} : { outcome: review.outcome }),
      ...(review.code === undefined ? {} : { code: review.code }),
      ...(review.commit === undefined ? {} : { commit: review.commit }),
    },
    {
      call: ({ prompt, resume }) =>
        desk.call(inputs.reviewer, {
          lane: label,
          task: `${command}-${role}`,
          prompt,
          ...(resume === undefined ? {} : { resume }),
          ...(place === undefined ? {} : { place }),
        }),
      now: () => time,
      count,
      nonce: desk.nonce,
      overrides: desk.services.overrides,
    },
  );
  await logDispatch(desk, label, time, reviewed.record);
  for (const marker of reviewed.markers) desk.warn(marker);
  const common = { state: reviewed.state, label, time, markers: reviewed.markers };
  if (reviewed.answer === undefined) {
    const problem = reviewed.problem ?? 'no answer';
    if (reviewed.unreachable) throw unanswered(inputs.reviewer, `${command}-${role}`, problem);
    desk.warn(`${label}: ${problem}`);
    return {
      ...common,
      result: { reviewer: 'rejected', gate: 'fail', open: [], waived: [], reason: problem },
    };
  }
  const waivers = await desk.once(`waivers ${label}`, () => readWaivers(inputs.directory));
  const result = judgeAnswer(reviewed.answer, waivers, inputs.gate);
  const how = reviewed.record.kind === 'resumed' ? ', session continued' : '';
  desk.note(`${label}: reviewer ${result.reviewer}, gate ${result.gate} (${result.reason})${how}`);
  return { ...common, answer: reviewed.answer, result };
}

/** lean/C-05, T-142: every agent that can be seated opens files itself, so only request and size decide. */
function transportOf({ inputs }: FeatureDesk, { target }: Dispatch, { files }: FeatureFiles): Transport {
  const file = target === undefined ? undefined : files[target];
  const characters = file?.kind === 'present' ? (file.text?.length ?? file.bytes) : 0;
  return chooseTransport({
    canRead: true,
    characters,
    requested: inputs.transport,
    ...(inputs.inlineUpTo === undefined ? {} : { inlineUpTo: inputs.inlineUpTo }),
  });
}
