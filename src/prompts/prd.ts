import { artifacts } from './artifacts.ts';

/** lean/C-08: where the product requirements of a feature were found. */
export type PrdResolution =
  | { kind: 'path'; path: string }
  | { kind: 'fallback'; path: string; source: string }
  | { kind: 'none' }
  | { kind: 'broken'; source: string; reason: string };

/** T-015: stands in the PRD's place when there is none. */
export const noPrd = 'No PRD — feature created without brainstorm';

/** lean/C-09: spellings that older files use for the same thing. */
const sentinelPattern = /^(?:no prd|none)\s*[—–-]+\s*feature created without brainstorm\.?$/i;

export function isPrdSentinel(text: string): boolean {
  return sentinelPattern.test(text.trim().replace(/^["'`]|["'`]$/g, ''));
}

/** T-013…T-016: the one line about the PRD, whatever was found. */
export function prdLine(resolution: PrdResolution): string {
  const { label } = artifacts.prd;
  switch (resolution.kind) {
    case 'path':
    case 'fallback':
      return `- ${label}: ${resolution.path}`;
    case 'none':
    case 'broken':
      return `- ${label}: ${noPrd}`;
  }
}
