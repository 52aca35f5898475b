import { type ArtifactFiles, type ArtifactKey, artifacts } from './artifacts.ts';
import { type Part, words } from './part.ts';
import { type PrdResolution, prdLine } from './prd.ts';

export type RequiredInput = {
  keys: readonly ArtifactKey[];
  files: ArtifactFiles;
  /** Only looked at when the list has the PRD (T-017). */
  prd: PrdResolution;
  reads: 'review' | 'work';
  /** lean/C-05: the artifact under review, when it travels by reference; listed last. */
  target?: ArtifactKey;
};

/** T-039: the line by which an agent says what it read. */
export const confirmationForm = 'Files read: {name} ({N} lines), ...';

/** T-004, T-037…T-039: the references, after a directive that leaves no choice. Absent when there is nothing to read. */
export function requiredArtifactsPart(input: RequiredInput): Part[] {
  const lines = [
    ...input.keys.map((key) => referenceLine(key, input)),
    ...(input.target === undefined ? [] : [referenceLine(input.target, input, ' (under review)')]),
  ];
  if (lines.length === 0) return [];
  const text = [
    `You MUST read fully before your ${input.reads}:`,
    `Confirm: "${confirmationForm}"`,
    ...lines,
  ].join('\n');
  return [{ ...words('required-artifacts', text, 'Required Artifacts'), protected: true }];
}

function referenceLine(key: ArtifactKey, { files, prd }: RequiredInput, note = ''): string {
  if (key === 'prd' && note === '') return prdLine(prd);
  const file = files[key];
  const where = file.kind === 'present' ? file.path : notAvailable;
  return `- ${artifacts[key].label}${note}: ${where}`;
}

/** lean/C-11: stands for an artifact that is not there and that the call can do without. */
export const notAvailable = 'not available';
