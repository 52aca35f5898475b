import { loadExactCounter } from '../../base/text/tokens.ts';
import type { ArtifactKey } from '../../prompts/artifacts.ts';
import { gradeConfirmation, lazyLoadWarning } from '../../prompts/confirmation.ts';
import { expectedFiles } from '../../prompts/describe.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import type { TokenCount } from '../../prompts/markers.ts';
import type { DispatchCost } from '../../prompts/rates.ts';
import type { FeatureDesk } from './desk.ts';
import { appendRecord, logDispatch } from './records.ts';

export type FreshCall = {
  /** Names the call; unique in the run. */
  name: string;
  command: string;
  role: string;
  prompt: string;
  answer: string;
  feature: FeatureFiles;
  /** What the answer must confirm to have read. */
  expected: readonly ArtifactKey[];
  /** What the role would be given with every document in the prompt. */
  full: readonly ArtifactKey[];
};

/** T-075, T-077, T-139: a call outside the review loops is graded and logged like any other. */
export async function recordFresh(desk: FeatureDesk, call: FreshCall): Promise<void> {
  const { name, command, role, prompt, answer, feature } = call;
  const expected = expectedFiles({ ...feature, expected: call.expected });
  const confirmation = expected.length === 0 ? undefined : gradeConfirmation(answer, expected);
  const now = await desk.now(name);
  const count = await loadExactCounter();
  await logDispatch(desk, name, now, {
    command,
    role,
    iteration: 1,
    kind: 'fresh',
    promptCharacters: prompt.length,
    promptTokens: count(prompt),
    cost: costOf(call, count),
    ...(confirmation === undefined ? {} : { confirmation: confirmation.grade }),
  });
  if (confirmation?.grade !== 'missing') return;
  const line = lazyLoadWarning(role);
  desk.warn(`${name}: ${line}`);
  const heading = `## ${command} - ${name} - ${new Date(now).toISOString()}`;
  await appendRecord(desk, `marker ${name}`, `${heading}\n\n${line}\n\n---\n`);
}

function costOf({ prompt, feature, expected, full }: FreshCall, count: TokenCount): DispatchCost {
  const tokensOf = (keys: readonly ArtifactKey[]) =>
    keys.reduce((sum, key) => {
      const file = feature.files[key];
      return sum + (file.kind === 'present' ? count(file.text ?? '') : 0);
    }, 0);
  return {
    readTokens: tokensOf(expected),
    deltaTokens: 0,
    replayedTokens: 0,
    cache: 'none',
    fullTokens: count(prompt) + tokensOf(full),
    basis: 'counted prompt, estimated reads',
  };
}
