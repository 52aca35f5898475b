import { createHash } from 'node:crypto';
import { CharretteError } from '../base/errors.ts';
import { countLines } from '../base/text/diff.ts';
import { type ArtifactFiles, type ArtifactKey, artifactKeys, artifacts } from './artifacts.ts';
import { type PrdResolution, prdLine } from './feature-files.ts';
import { data, type Part, words } from './part.ts';
import type { CommandName, Dispatch } from './roles/shapes.ts';

type RequiredInput = {
  keys: readonly ArtifactKey[];
  files: ArtifactFiles;
  /** Only used when the list has the PRD (T-017). */
  prd: PrdResolution;
  reads: 'review' | 'work';
};

/** T-039: the line by which an agent says what it read. */
const confirmationForm = 'Files read: {name} ({N} lines), ...';

/** T-004, T-037…T-039: the references under the directive of the seed (I1, I7), word for word. Absent when there is nothing to read. */
export function requiredArtifactsPart(input: RequiredInput): Part[] {
  const lines = input.keys.map((key) =>
    key === 'prd' ? prdLine(input.prd) : referenceLine(key, input.files),
  );
  if (lines.length === 0) return [];
  const text = [
    `You MUST read the following files before beginning your ${input.reads}.`,
    `After reading, confirm: "${confirmationForm}" in a single line.`,
    ...lines,
  ].join('\n');
  return [{ ...words('required-artifacts', text, 'Required Artifacts'), protected: true }];
}

/** I5: an artifact under review that travels by reference has its own section; the block lists upstream artifacts alone. */
export function targetPart(key: ArtifactKey, { files, reads }: Pick<RequiredInput, 'files' | 'reads'>): Part {
  const text = [
    `You MUST read this file before beginning your ${reads}. Confirm it too: "${confirmationForm}"`,
    referenceLine(key, files),
  ].join('\n');
  const heading = reads === 'review' ? 'Artifact Under Review' : 'Document to Revise';
  return { ...words('target', text, heading), protected: true };
}

function referenceLine(key: ArtifactKey, files: ArtifactFiles): string {
  const file = files[key];
  return `- ${artifacts[key].label}: ${file.kind === 'present' ? file.path : notAvailable}`;
}

/** lean/C-11: replaces a missing artifact that the call does not require. */
const notAvailable = 'not available';

/** lean/C-11, lean/C-26: what a command cannot do without, with what its prerequisites need in turn, and what it produces itself. */
export const hardArtifacts: Readonly<Record<CommandName, readonly ArtifactKey[]>> = {
  brainstorm: ['prd'],
  specify: ['spec'],
  design: ['spec', 'design'],
  plan: ['spec', 'design', 'plan'],
  tasks: ['spec', 'design', 'plan', 'tasks'],
  implement: ['spec', 'tasks'],
  implementing: ['spec', 'tasks'],
};

/** Refuses a call whose prompt would point at nothing; artifacts it can do without come back as warnings. */
export function checkArtifacts(dispatch: Dispatch, files: ArtifactFiles): string[] {
  const needed = new Set([...dispatch.required, ...(dispatch.target === undefined ? [] : [dispatch.target])]);
  const hard = hardArtifacts[dispatch.command];
  const warnings: string[] = [];
  for (const key of needed) {
    const file = files[key];
    if (file.kind === 'present' || (key === 'prd' && dispatch.target !== 'prd')) continue;
    if (hard.includes(key)) throw missingArtifact(dispatch, key, files);
    warnings.push(`${artifacts[key].file} is ${file.kind === 'missing' ? 'missing' : file.reason}`);
  }
  return warnings;
}

function missingArtifact(dispatch: Dispatch, key: ArtifactKey, files: ArtifactFiles): CharretteError {
  const file = files[key];
  const outside = file.kind === 'unusable' && file.reason === 'a link out of the feature';
  const there = artifactKeys
    .filter((other) => files[other].kind === 'present')
    .map((other) => artifacts[other].file);
  const state = file.kind === 'unusable' ? file.reason : 'missing';
  return new CharretteError({
    code: outside ? 'path-unsafe' : 'artifact-missing',
    message: `${dispatch.command}/${dispatch.role} needs ${artifacts[key].file}, which is ${state}; the feature has ${there.join(', ') || 'no artifact'}.`,
    fix: outside
      ? `Replace ${artifacts[key].file} by a file inside the feature directory.`
      : `Write ${artifacts[key].file} first.`,
  });
}

/** T-011: lets a reader notice that a copy in a prompt was cut on the way. */
export function completenessHeader(name: string, text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `Complete ${name}: ${countLines(text)} lines, sha256 ${digest}. Report a cut copy first.`;
}

/** The artifact under review inside the prompt (SEED mode of T-007). */
export function inlineArtifactPart(key: ArtifactKey, text: string): Part {
  const { file, label } = artifacts[key];
  return data(key, text, { heading: label, text: completenessHeader(file, text) });
}
