import { basename } from 'node:path';
import { countLines } from '../base/text/diff.ts';
import { type ArtifactFiles, type ArtifactKey, artifactKeys, artifacts } from './artifacts.ts';
import type { ExpectedFile } from './confirmation.ts';
import type { PrdResolution } from './feature-files.ts';

/** What became of one artifact in one prompt. */
export type ArtifactUse = {
  name: string;
  label: string;
  transport: 'reference' | 'inline' | 'pruned' | 'unused';
  state: 'present' | 'fallback' | 'missing' | 'unusable';
  path?: string;
  lines?: number;
  characters?: number;
};

export type UseInput = {
  files: ArtifactFiles;
  prd: PrdResolution;
  expected: readonly ArtifactKey[];
  inlined: readonly ArtifactKey[];
  pruned: readonly ArtifactKey[];
};

/** Every artifact with its part in the prompt, for `--json` and for people who wonder. */
export function describeUses(input: UseInput): ArtifactUse[] {
  return artifactKeys.map((key) => {
    const { file, label } = artifacts[key];
    return { name: file, label, transport: transportOf(key, input), ...stateOf(key, input) };
  });
}

function transportOf(key: ArtifactKey, { expected, inlined, pruned }: UseInput): ArtifactUse['transport'] {
  if (inlined.includes(key)) return 'inline';
  if (expected.includes(key)) return 'reference';
  return pruned.includes(key) ? 'pruned' : 'unused';
}

function stateOf(
  key: ArtifactKey,
  { files, prd }: UseInput,
): Omit<ArtifactUse, 'name' | 'label' | 'transport'> {
  const file = files[key];
  if (key === 'prd' && prd.kind === 'fallback') return { state: 'fallback', path: prd.path };
  if (file.kind !== 'present') return { state: file.kind };
  if (file.text === undefined) return { state: 'present', path: file.path };
  return {
    state: 'present',
    path: file.path,
    lines: countLines(file.text),
    characters: file.text.length,
  };
}

/** What the answer must confirm to have read, by label, file name and length. */
export function expectedFiles({
  files,
  prd,
  expected,
}: Pick<UseInput, 'files' | 'prd' | 'expected'>): ExpectedFile[] {
  return expected.map((key) => {
    const { label, file: name } = artifacts[key];
    if (key === 'prd' && prd.kind === 'fallback') return { label, name: basename(prd.path) };
    const file = files[key];
    return file.kind === 'present' && file.text !== undefined
      ? { label, name, lines: countLines(file.text) }
      : { label, name };
  });
}
