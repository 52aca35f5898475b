import { artifacts } from '../../../prompts/artifacts.ts';
import { compilePrompt, type Transport } from '../../../prompts/compile.ts';
import { compose } from '../../../prompts/compose.ts';
import { type Confirmation, gradeConfirmation, lazyLoadWarning } from '../../../prompts/confirmation.ts';
import { expectedFiles } from '../../../prompts/describe.ts';
import type { FeatureFiles } from '../../../prompts/feature-files.ts';
import type { DomainOutcome, TokenCount } from '../../../prompts/markers.ts';
import { resumeFallbackLine } from '../../../prompts/markers.ts';
import type { DispatchRecord } from '../../../prompts/rates.ts';
import {
  type DispatchQuestion,
  decideDispatch,
  freshReasons,
  resumeFailure,
} from '../../../prompts/resume/decide.ts';
import {
  afterFresh,
  afterResume,
  type Delta,
  deltaSince,
  fixSummariesSince,
  type ResumeState,
  takeSnapshot,
  withoutSession,
} from '../../../prompts/resume/state.ts';
import { finalValidation, resumedReview } from '../../../prompts/resume/templates.ts';
import type { Dispatch } from '../../../prompts/roles/shapes.ts';
import { retryPrompt } from '../../../prompts/roles/shapes.ts';
import type { NonceSource } from '../../../prompts/untrusted.ts';
import { type ReviewAnswer, readReviewAnswer } from './review-answer.ts';

/** How a review reaches its agent, and what time and tokens are. */
export type ReviewPort = {
  call(request: { prompt: string; resume?: string }): Promise<CallOutcome>;
  /** In milliseconds. */
  now(): number;
  count: TokenCount;
  nonce: NonceSource;
  /** A project's own wording of fixed parts. */
  overrides?: Readonly<Record<string, string>>;
};

export type CallOutcome = {
  text: string;
  session?: string;
  /** Why the call failed, when the driver saw it. */
  error?: string;
  totalTokens?: number;
};

export type ReviewCall = {
  dispatch: Dispatch;
  feature: FeatureFiles;
  state: ResumeState;
  iteration: number;
  max: number;
  transport: Transport;
  agentResumes: boolean;
  finalValidation: boolean;
  /** There was a session in this run whose id is gone. */
  sessionLost?: boolean;
  previousIssues?: string;
  /** Changed code with its text, for roles that look at code. */
  code?: Readonly<Record<string, string>>;
  outcome?: DomainOutcome;
  commit?: NonNullable<DispatchQuestion['commit']>;
};

export type ReviewResult = {
  state: ResumeState;
  answer: ReviewAnswer | undefined;
  /** Why there is no answer, after one retry. */
  problem?: string;
  /** The agent failed, rather than answered badly. */
  unreachable: boolean;
  /** Only fresh calls are graded. */
  confirmation?: Confirmation;
  /** T-085: lines for the history of this iteration. */
  markers: readonly string[];
  record: Omit<DispatchRecord, 'v' | 'time' | 'feature'>;
};

/** T-089…T-107, tricky case 9: one review of one iteration, continued where that is cheaper, fresh where it failed. */
export async function reviewOnce(input: ReviewCall, port: ReviewPort): Promise<ReviewResult> {
  const texts = shownTexts(input);
  const key = keyOf(input.dispatch);
  const session = input.state.sessions[key];
  const delta: Delta = session === undefined ? { kind: 'same' } : deltaSince(session.snapshot, texts);
  const prompt = delta.kind === 'too-large' ? '' : continuedPrompt(input, delta, port.nonce);
  const decision = decideDispatch({
    iteration: input.iteration,
    resumable: input.dispatch.resumable,
    agentResumes: input.agentResumes,
    session,
    delta,
    resumedTokens: port.count(prompt),
    finalValidation: input.finalValidation,
    now: port.now(),
    ...(input.sessionLost === true ? { sessionLost: true } : {}),
    ...(input.commit === undefined ? {} : { commit: input.commit }),
  });
  if (decision.kind === 'fresh') {
    const lost = freshReasons[decision.reason].fallback ? decision.reason : undefined;
    return reviewFresh(input, port, texts, { lost, guardTripped: decision.guardTripped });
  }
  const first = await port.call({ prompt, resume: decision.agentId });
  const { outcome, answer, problem } = await readOrRetry(
    first,
    { prompt, resume: decision.agentId },
    input,
    port,
  );
  const failure = resumeFailure({
    text: outcome.text,
    parsed: answer !== undefined,
    expectedAgentId: decision.agentId,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
    ...(outcome.totalTokens === undefined ? {} : { totalTokens: outcome.totalTokens }),
  });
  if (failure !== undefined) return reviewFresh(input, port, texts, { lost: failure, guardTripped: false });
  return {
    state: afterResume(input.state, key, {
      lastIteration: input.iteration,
      snapshot: takeSnapshot(texts),
      lastUsed: port.now(),
      addedTokens: port.count(prompt) + port.count(outcome.text),
      ...(outcome.session === undefined ? {} : { agentId: outcome.session }),
    }),
    answer,
    unreachable: false,
    ...(problem === undefined ? {} : { problem }),
    markers: [],
    record: {
      ...recordOf(input, 'resumed', prompt, port),
      cost: {
        readTokens: 0,
        deltaTokens: delta.kind === 'delta' ? port.count(delta.text) : 0,
        replayedTokens: session?.transcriptTokens ?? 0,
        cache: decision.cache,
        fullTokens: fullTokens(input, session?.promptTokens ?? port.count(prompt), port),
        basis: costBasis,
      },
    },
  };
}

async function reviewFresh(
  input: ReviewCall,
  port: ReviewPort,
  texts: Readonly<Record<string, string>>,
  { lost, guardTripped }: { lost: string | undefined; guardTripped: boolean },
): Promise<ReviewResult> {
  const { dispatch, feature } = input;
  const compiled = compilePrompt({
    dispatch,
    files: feature.files,
    prd: feature.prd,
    transport: input.transport,
    iteration: {
      iteration: input.iteration,
      max: input.max,
      ...(input.previousIssues === undefined ? {} : { previousIssues: input.previousIssues }),
      ...(lost === undefined ? {} : { unavailable: 'review' as const }),
    },
    implementationFiles: Object.keys(input.code ?? {}),
    ...(input.outcome === undefined ? {} : { outcome: input.outcome }),
  });
  const prompt = compose(compiled.draft, wording(port)).text;
  const first = await port.call({ prompt });
  // lean/C-23: what was read is graded on the first answer, before anybody looks for JSON in it.
  const expected = expectedFiles({ ...feature, expected: compiled.expected });
  const confirmation = expected.length === 0 ? undefined : gradeConfirmation(first.text, expected);
  const { outcome, answer, problem } = await readOrRetry(first, { prompt }, input, port);
  const key = keyOf(dispatch);
  const readTokens = compiled.expected.reduce(
    (sum, name) => sum + port.count(texts[artifacts[name].file] ?? ''),
    0,
  );
  return {
    state: afterFresh(withoutSession(input.state, key), key, {
      agentId: answer === undefined ? undefined : (outcome.session ?? first.session),
      promptCharacters: prompt.length,
      promptTokens: port.count(prompt),
      readTokens,
      lastIteration: input.iteration,
      snapshot: takeSnapshot(texts),
      lastUsed: port.now(),
      transcriptTokens: port.count(prompt) + readTokens + port.count(outcome.text),
    }),
    answer,
    unreachable: answer === undefined && outcome.error !== undefined,
    ...(problem === undefined ? {} : { problem }),
    ...(confirmation === undefined ? {} : { confirmation }),
    markers: [
      ...(lost === undefined ? [] : [resumeFallbackLine(dispatch.role, input.iteration, lost)]),
      ...(confirmation?.grade === 'missing' ? [lazyLoadWarning(dispatch.agent ?? dispatch.role)] : []),
    ],
    record: {
      ...recordOf(input, 'fresh', prompt, port),
      cost: {
        readTokens,
        deltaTokens: 0,
        replayedTokens: 0,
        cache: 'none',
        fullTokens: fullTokens(input, port.count(prompt), port),
        basis: costBasis,
      },
      ...(confirmation === undefined ? {} : { confirmation: confirmation.grade }),
      ...(lost === undefined ? {} : { resumeFallback: lost }),
      ...(guardTripped ? { guardTripped } : {}),
    },
  };
}

type Read = { outcome: CallOutcome; answer: ReviewAnswer | undefined; problem?: string };

/** T-118: one more try for an answer that cannot be read, in the same session where there is one. */
async function readOrRetry(
  first: CallOutcome,
  sent: { prompt: string; resume?: string },
  input: ReviewCall,
  port: ReviewPort,
): Promise<Read> {
  const { dispatch, agentResumes } = input;
  const shown = Object.values(shownTexts(input));
  // What a call that failed had to say is never taken for an answer.
  if (first.error !== undefined) return { outcome: first, answer: undefined, problem: first.error };
  const reading = readReviewAnswer(first.text, shown);
  if (reading.ok) return { outcome: first, answer: reading.answer };
  const empty = first.text.trim() === '';
  // Tricky case 9: a continued session that says nothing is gone.
  if (empty && sent.resume !== undefined)
    return { outcome: first, answer: undefined, problem: 'empty answer' };
  const session = agentResumes ? (first.session ?? sent.resume) : undefined;
  const earlier = session === undefined ? first.text : undefined;
  const prompt = empty
    ? sent.prompt
    : compose(retryPrompt(dispatch, reading.problem, earlier), wording(port)).text;
  const resume = empty ? undefined : session;
  const second = await port.call(resume === undefined ? { prompt } : { prompt, resume });
  if (second.error !== undefined) return { outcome: second, answer: undefined, problem: second.error };
  const again = readReviewAnswer(second.text, shown);
  if (again.ok) return { outcome: { ...first, ...second }, answer: again.answer };
  return { outcome: { ...first, ...second }, answer: undefined, problem: again.problem };
}

function wording({ nonce, overrides }: ReviewPort) {
  return overrides === undefined ? { nonce } : { nonce, overrides };
}

function continuedPrompt(
  input: ReviewCall,
  delta: Exclude<Delta, { kind: 'too-large' }>,
  nonce: NonceSource,
): string {
  const { dispatch, iteration, max, state } = input;
  const key = keyOf(dispatch);
  const common = { dispatch, delta, fixSummary: fixSummariesSince(state, key), iteration, max };
  const lastIteration = state.sessions[key]?.lastIteration ?? 1;
  const draft = input.finalValidation ? finalValidation({ ...common, lastIteration }) : resumedReview(common);
  return compose(draft, { nonce }).text;
}

/** lean/C-03: everything the agent is shown or told to read, by file name. */
function shownTexts({ dispatch, feature, code = {} }: ReviewCall): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const key of [...dispatch.required, ...(dispatch.target === undefined ? [] : [dispatch.target])]) {
    const file = feature.files[key];
    if (file.kind === 'present' && file.text !== undefined) texts[artifacts[key].file] = file.text;
  }
  return { ...texts, ...(dispatch.listsFiles === true ? code : {}) };
}

const costBasis = 'counted prompt, estimated reads';

/** T-139: what the call would cost with every document of the role in the prompt, before pruning. */
function fullTokens({ dispatch, feature }: ReviewCall, promptTokens: number, { count }: ReviewPort): number {
  const keys = new Set([...dispatch.unpruned, ...(dispatch.target === undefined ? [] : [dispatch.target])]);
  return [...keys].reduce((sum, key) => {
    const file = feature.files[key];
    return sum + (file.kind === 'present' ? count(file.text ?? '') : 0);
  }, promptTokens);
}

function keyOf({ command, role }: Dispatch): string {
  return `${command}/${role}`;
}

function recordOf(
  { dispatch, iteration }: ReviewCall,
  kind: 'fresh' | 'resumed',
  prompt: string,
  { count }: ReviewPort,
): ReviewResult['record'] {
  return {
    command: dispatch.command,
    role: dispatch.role,
    iteration,
    kind,
    promptCharacters: prompt.length,
    promptTokens: count(prompt),
  };
}
