import { type ArtifactFiles, type ArtifactKey, artifacts } from './artifacts.ts';
import { type Part, words } from './part.ts';
import { type PrdResolution, prdLine } from './prd.ts';

export type RequiredInput = {
  keys: readonly ArtifactKey[];
  files: ArtifactFiles;
  /** Only used when the list has the PRD (T-017). */
  prd: PrdResolution;
  reads: 'review' | 'work';
};

/** T-039: the line by which an agent says what it read. */
export const confirmationForm = 'Files read: {name} ({N} lines), ...';

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

/** lean/C-11: stands for an artifact that is not there and that the call can do without. */
export const notAvailable = 'not available';
