import { createHash } from 'node:crypto';
import { countLines } from '../base/text/diff.ts';
import { type ArtifactKey, artifacts } from './artifacts.ts';
import { data, type Part } from './part.ts';

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
