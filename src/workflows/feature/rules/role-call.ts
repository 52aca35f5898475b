import { type ArtifactKey, artifacts } from '../../../prompts/artifacts.ts';
import { type CompileInput, compilePrompt } from '../../../prompts/compile.ts';
import { gradeConfirmation, lazyLoadWarning } from '../../../prompts/confirmation.ts';
import { expectedFiles } from '../../../prompts/describe.ts';
import type { FeatureFiles } from '../../../prompts/feature-files.ts';
import { resumeFallbackLine, type TokenCount } from '../../../prompts/markers.ts';
import { compose, type NonceSource } from '../../../prompts/part.ts';
import type { DispatchCost, DispatchRecord } from '../../../prompts/rates.ts';
import {
  type DispatchQuestion,
  decideDispatch,
  freshReasons,
  resumeFailure,
} from '../../../prompts/resume/decide.ts';
import {
  afterFresh,
  afterResume,
  type ResumeState,
  takeSnapshot,
  withoutSession,
} from '../../../prompts/resume/state.ts';
import type { Dispatch } from '../../../prompts/roles/shapes.ts';

/** How a role reaches its agent, and what time and tokens are. */
export type RolePort = {
  call(request: RoleRequest): Promise<CallOutcome>;
  /** In milliseconds. */
  now: number;
  count: TokenCount;
  nonce: NonceSource;
  /** A project's own wording of fixed parts. */
  overrides?: Readonly<Record<string, string>>;
};

/** `resume`: the session that the prompt continues. */
export type RoleRequest = { prompt: string; resume?: string | undefined };

export type CallOutcome = {
  text: string;
  session?: string;
  /** Why the call failed, when the driver saw it. */
  error?: string;
  totalTokens?: number;
};

/** One call of a role in one round of a loop. */
export type RoleCall = {
  dispatch: Dispatch;
  feature: FeatureFiles;
  state: ResumeState;
  /** Counted from 1. */
  iteration: number;
  max: number;
  agentResumes: boolean;
  /** Changed code with its text, for roles that read code. */
  code?: Readonly<Record<string, string>> | undefined;
};

/** What an answer gave; without a value, why. */
export type RoleReading<Value> = {
  outcome: CallOutcome;
  value?: Value | undefined;
  problem?: string | undefined;
};

/** What makes one kind of call different from another: its two prompts and how its answer is read. */
export type RoleForm<Value> = {
  kind: 'review' | 'fix';
  /** What continuing a session depends on, besides the session. */
  question: Pick<DispatchQuestion, 'delta' | 'finalValidation' | 'sessionLost' | 'commit'>;
  /** Continues a session. */
  resumedPrompt: string;
  /** For a fresh call. */
  fresh: Pick<CompileInput, 'transport' | 'outcome' | 'issues'> & { previousIssues?: string | undefined };
  read(first: CallOutcome, sent: RoleRequest): Promise<RoleReading<Value>>;
};

export type RoleResult<Value> = RoleReading<Value> & {
  state: ResumeState;
  /** T-085: lines for the history of this iteration. */
  markers: readonly string[];
  record: Omit<DispatchRecord, 'v' | 'time' | 'feature'>;
};

/** T-089…T-110, tricky case 9: one call of a role, continued where that is cheaper, fresh where it failed. */
export async function callRole<Value>(
  call: RoleCall,
  form: RoleForm<Value>,
  port: RolePort,
): Promise<RoleResult<Value>> {
  const { dispatch, state, iteration, agentResumes } = call;
  const key = sessionKey(dispatch);
  const session = state.sessions[key];
  const prompt = form.resumedPrompt;
  const decision = decideDispatch({
    iteration,
    resumable: dispatch.resumable,
    agentResumes,
    session,
    resumedTokens: port.count(prompt),
    now: port.now,
    ...form.question,
  });
  if (decision.kind === 'fresh') {
    const lost = freshReasons[decision.reason].fallback ? decision.reason : undefined;
    return callFresh(call, form, port, { lost, guardTripped: decision.guardTripped });
  }
  const sent = { prompt, resume: decision.agentId };
  const reading = await form.read(await port.call(sent), sent);
  const { outcome } = reading;
  const failure = resumeFailure({
    ...outcome,
    parsed: reading.value !== undefined,
  });
  if (failure !== undefined) return callFresh(call, form, port, { lost: failure, guardTripped: false });
  const { delta } = form.question;
  return {
    ...reading,
    state: afterResume(state, key, {
      lastIteration: iteration,
      snapshot: takeSnapshot(shownTexts(call)),
      lastUsed: port.now,
      addedTokens: port.count(prompt) + port.count(outcome.text),
      agentId: outcome.session,
    }),
    markers: [],
    record: {
      ...recordOf({ ...dispatch, iteration, prompt }, 'resumed', port.count),
      cost: {
        readTokens: 0,
        deltaTokens: delta.kind === 'delta' ? port.count(delta.text) : 0,
        replayedTokens: session?.transcriptTokens ?? 0,
        cache: decision.cache,
        fullTokens: fullTokens(call, session?.promptTokens ?? port.count(prompt), port.count),
        basis: costBasis,
      },
    },
  };
}

async function callFresh<Value>(
  call: RoleCall,
  { kind, fresh, read }: RoleForm<Value>,
  port: RolePort,
  { lost, guardTripped }: { lost: string | undefined; guardTripped: boolean },
): Promise<RoleResult<Value>> {
  const { dispatch, feature, state, iteration, max, code = {} } = call;
  const { previousIssues, ...parts } = fresh;
  const { draft, expected } = compilePrompt({
    dispatch,
    files: feature.files,
    prd: feature.prd,
    iteration: { iteration, max, previousIssues, unavailable: lost === undefined ? undefined : kind },
    implementationFiles: Object.keys(code),
    ...parts,
  });
  const prompt = compose(draft, port).text;
  const first = await port.call({ prompt });
  const reading = await read(first, { prompt });
  const { outcome, value } = reading;
  const key = sessionKey(dispatch);
  // lean/C-23: what was read is graded on the first answer, before it is searched for JSON.
  const graded = gradeFresh(
    { ...dispatch, iteration, prompt, answer: first.text, feature, expected },
    fullTokens(call, port.count(prompt), port.count),
    port.count,
  );
  const { promptCharacters, promptTokens, cost } = graded.record;
  const { readTokens } = cost;
  return {
    ...reading,
    state: afterFresh(withoutSession(state, key), key, {
      agentId: value === undefined ? undefined : (outcome.session ?? first.session),
      promptCharacters,
      promptTokens,
      readTokens,
      lastIteration: iteration,
      snapshot: takeSnapshot(shownTexts(call)),
      lastUsed: port.now,
      transcriptTokens: promptTokens + readTokens + port.count(outcome.text),
    }),
    markers: [
      ...(lost === undefined ? [] : [resumeFallbackLine(dispatch.role, iteration, lost)]),
      ...graded.markers,
    ],
    record: {
      ...graded.record,
      resumeFallback: lost,
      guardTripped: guardTripped || undefined,
    },
  };
}

export type FreshAnswer = {
  command: string;
  role: string;
  /** The agent that plays the role, where it is not named like the role. */
  agent?: string;
  iteration: number;
  prompt: string;
  answer: string;
  feature: FeatureFiles;
  /** What the answer must confirm to have read. */
  expected: readonly ArtifactKey[];
};

/** T-075, T-077, T-139: whether a fresh answer confirms what it read, and the record of its call. */
export function gradeFresh(fresh: FreshAnswer, fullTokens: number, count: TokenCount) {
  const expected = expectedFiles({ ...fresh.feature, expected: fresh.expected });
  const confirmation = expected.length === 0 ? undefined : gradeConfirmation(fresh.answer, expected);
  const cost: DispatchCost = {
    readTokens: tokensOf(fresh.feature, fresh.expected, count),
    deltaTokens: 0,
    replayedTokens: 0,
    cache: 'none',
    fullTokens,
    basis: costBasis,
  };
  return {
    markers: confirmation?.grade === 'missing' ? [lazyLoadWarning(fresh.agent ?? fresh.role)] : [],
    record: {
      ...recordOf(fresh, 'fresh', count),
      cost,
      confirmation: confirmation?.grade,
    },
  };
}

const costBasis = 'counted prompt, estimated reads';

export function tokensOf({ files }: FeatureFiles, keys: Iterable<ArtifactKey>, count: TokenCount): number {
  return [...keys].reduce((sum, key) => {
    const file = files[key];
    return sum + (file.kind === 'present' ? count(file.text ?? '') : 0);
  }, 0);
}

/** T-139: what the call would cost with every document of the role in the prompt, before pruning. */
function fullTokens({ dispatch, feature }: RoleCall, promptTokens: number, count: TokenCount): number {
  return promptTokens + tokensOf(feature, new Set([...dispatch.unpruned, ...targetOf(dispatch)]), count);
}

/** lean/C-03: everything the agent is shown or told to read, by file name. */
export function shownTexts({ dispatch, feature, code = {} }: RoleCall): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const key of [...dispatch.required, ...targetOf(dispatch)]) {
    const file = feature.files[key];
    if (file.kind === 'present' && file.text !== undefined) texts[artifacts[key].file] = file.text;
  }
  return { ...texts, ...(dispatch.listsFiles === true ? code : {}) };
}

function targetOf({ target }: Dispatch): ArtifactKey[] {
  return target === undefined ? [] : [target];
}

export function sessionKey({ command, role }: Dispatch): string {
  return `${command}/${role}`;
}

function recordOf<Kind extends DispatchRecord['kind']>(
  { command, role, iteration, prompt }: Pick<FreshAnswer, 'command' | 'role' | 'iteration' | 'prompt'>,
  kind: Kind,
  count: TokenCount,
) {
  return { command, role, iteration, kind, promptCharacters: prompt.length, promptTokens: count(prompt) };
}
