import type { ArtifactKey } from '../../../prompts/artifacts.ts';
import { compilePrompt } from '../../../prompts/compile.ts';
import { compose } from '../../../prompts/compose.ts';
import { gradeConfirmation, lazyLoadWarning } from '../../../prompts/confirmation.ts';
import { expectedFiles } from '../../../prompts/describe.ts';
import type { FeatureFiles } from '../../../prompts/feature-files.ts';
import { resumeFallbackLine } from '../../../prompts/markers.ts';
import { decideDispatch, freshReasons, resumeFailure } from '../../../prompts/resume/decide.ts';
import {
  afterFresh,
  afterResume,
  type ResumeState,
  takeSnapshot,
  withoutSession,
} from '../../../prompts/resume/state.ts';
import { resumedFix } from '../../../prompts/resume/templates.ts';
import type { Dispatch } from '../../../prompts/roles/shapes.ts';
import type { ReviewPort, ReviewResult } from './review-call.ts';

export type FixCall = {
  dispatch: Dispatch;
  feature: FeatureFiles;
  state: ResumeState;
  /** One line each, of failed reviewers only (T-127). */
  issues: readonly string[];
  round: number;
  max: number;
  agentResumes: boolean;
  /** Changed code with its text. */
  code: Readonly<Record<string, string>>;
};

export type FixResult = Pick<ReviewResult, 'state' | 'markers' | 'record'> & {
  report: string;
  /** Why nothing was fixed. */
  problem?: string;
};

const key = 'implement/implementer';
const costBasis = 'counted prompt, estimated reads';

/** T-109, T-110: has issues fixed, in the session of the last fix where that is cheaper, fresh where it failed. */
export async function fixOnce(input: FixCall, port: ReviewPort): Promise<FixResult> {
  const { state, code, agentResumes } = input;
  const session = state.sessions[key];
  const allFiles = Object.keys(code);
  const changedFiles = allFiles.filter((name) => session?.snapshot[name]?.text !== code[name]);
  const prompt = compose(
    resumedFix({
      issues: input.issues.join('\n'),
      changedFiles,
      allFiles,
      iteration: input.round,
      max: input.max,
    }),
    wording(port),
  ).text;
  const decision = decideDispatch({
    iteration: session === undefined ? 1 : 2,
    resumable: input.dispatch.resumable,
    agentResumes,
    session,
    delta: { kind: 'delta', stat: '', text: '' },
    resumedTokens: port.count(prompt),
    finalValidation: false,
    now: port.now(),
  });
  if (decision.kind === 'fresh') {
    const lost = freshReasons[decision.reason].fallback ? decision.reason : undefined;
    return fixFresh(input, port, { lost, guardTripped: decision.guardTripped });
  }
  const outcome = await port.call({ prompt, resume: decision.agentId });
  const failure = resumeFailure({
    text: outcome.text,
    parsed: outcome.text.trim() !== '',
    expectedAgentId: decision.agentId,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
    ...(outcome.totalTokens === undefined ? {} : { totalTokens: outcome.totalTokens }),
  });
  if (failure !== undefined) return fixFresh(input, port, { lost: failure, guardTripped: false });
  return {
    state: afterResume(state, key, {
      lastIteration: input.round,
      snapshot: takeSnapshot(code),
      lastUsed: port.now(),
      addedTokens: port.count(prompt) + port.count(outcome.text),
      ...(outcome.session === undefined ? {} : { agentId: outcome.session }),
    }),
    report: outcome.text,
    markers: [],
    record: {
      ...recordOf(input, 'resumed', prompt, port),
      cost: {
        readTokens: 0,
        deltaTokens: 0,
        replayedTokens: session?.transcriptTokens ?? 0,
        cache: decision.cache,
        fullTokens: (session?.promptTokens ?? 0) + (session?.readTokens ?? 0),
        basis: costBasis,
      },
    },
  };
}

async function fixFresh(
  input: FixCall,
  port: ReviewPort,
  { lost, guardTripped }: { lost: string | undefined; guardTripped: boolean },
): Promise<FixResult> {
  const { dispatch, feature, round, max, code, state } = input;
  const compiled = compilePrompt({
    dispatch,
    files: feature.files,
    prd: feature.prd,
    transport: 'reference',
    iteration: {
      iteration: round,
      max,
      ...(lost === undefined ? {} : { unavailable: 'fix' as const }),
    },
    implementationFiles: Object.keys(code),
    issues: input.issues.join('\n'),
  });
  const prompt = compose(compiled.draft, wording(port)).text;
  const outcome = await port.call({ prompt });
  const expected = expectedFiles({ ...feature, expected: compiled.expected });
  const confirmation = expected.length === 0 ? undefined : gradeConfirmation(outcome.text, expected);
  const readTokens = compiled.expected.reduce((sum, name) => sum + port.count(textOf(feature, name)), 0);
  const problem = outcome.error ?? (outcome.text.trim() === '' ? 'empty answer' : undefined);
  return {
    state: afterFresh(withoutSession(state, key), key, {
      agentId: problem === undefined ? outcome.session : undefined,
      promptCharacters: prompt.length,
      promptTokens: port.count(prompt),
      readTokens,
      lastIteration: round,
      snapshot: takeSnapshot(code),
      lastUsed: port.now(),
      transcriptTokens: port.count(prompt) + readTokens + port.count(outcome.text),
    }),
    report: outcome.text,
    ...(problem === undefined ? {} : { problem }),
    markers: [
      ...(lost === undefined ? [] : [resumeFallbackLine(dispatch.role, round, lost)]),
      ...(confirmation?.grade === 'missing' ? [lazyLoadWarning(dispatch.role)] : []),
    ],
    record: {
      ...recordOf(input, 'fresh', prompt, port),
      cost: {
        readTokens,
        deltaTokens: 0,
        replayedTokens: 0,
        cache: 'none',
        fullTokens: port.count(prompt) + readTokens,
        basis: costBasis,
      },
      ...(confirmation === undefined ? {} : { confirmation: confirmation.grade }),
      ...(lost === undefined ? {} : { resumeFallback: lost }),
      ...(guardTripped ? { guardTripped } : {}),
    },
  };
}

function textOf({ files }: FeatureFiles, name: ArtifactKey): string {
  const file = files[name];
  return file.kind === 'present' ? (file.text ?? '') : '';
}

function wording({ nonce, overrides }: ReviewPort) {
  return overrides === undefined ? { nonce } : { nonce, overrides };
}

function recordOf(
  { dispatch, round }: FixCall,
  kind: 'fresh' | 'resumed',
  prompt: string,
  { count }: ReviewPort,
): FixResult['record'] {
  const { command, role } = dispatch;
  return {
    command,
    role,
    iteration: round,
    kind,
    promptCharacters: prompt.length,
    promptTokens: count(prompt),
  };
}
