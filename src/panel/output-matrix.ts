import { endLine, payloads, type StepPrefix } from './breadcrumbs.ts';
import type { Step } from './steps.ts';

/** L-048: the aspects on which output depends. They are independent; nothing asks "am I nested?" (C-01). */
export type OutputAspects = {
  /** A caller gave a session environment: bodies stay in files (L-046). */
  sessionEnvironment: boolean;
  prefix: StepPrefix;
};

/** The heading a body is printed under, per artifact. */
export const bodyHeadings = {
  synthesis: '## Approach Synthesis',
  resolutions: '## Dialectic Resolutions',
  plan: '## Implementation Plan',
  tally: '## Voting Tally and Reviewer Competition Scoreboard',
  accepted: '## Plan Review Findings (Voted In)',
  revisedPlan: '## Revised Implementation Plan',
  outOfScope: '## Out-of-Scope Observations',
  diagram: '## Architecture Diagram',
  rejected: '## Unimplemented Plan Review Suggestions',
} as const;
export type Body = keyof typeof bodyHeadings;

/** The step whose "saved" line stands for a body, where there is one (per-step output matrix). */
const savedLines: Partial<Record<Body, { step: Step; payload: string }>> = {
  synthesis: { step: '2a', payload: payloads.synthesisSaved },
  plan: { step: '2b', payload: payloads.saved },
  diagram: { step: '3b', payload: payloads.saved },
  rejected: { step: '4', payload: payloads.saved },
};

/**
 * L-045…L-047, C-12, C-13: what is printed for an artifact, from the text of its file: everything under its heading, or one
 * line when a caller reads the files. An empty artifact prints nothing.
 */
export function printedBody(
  body: Body,
  text: string,
  aspects: OutputAspects,
  elapsedMs: number,
): string | undefined {
  if (text.trim() === '') return undefined;
  if (aspects.sessionEnvironment) {
    const saved = savedLines[body];
    return saved && endLine('done', saved.step, saved.payload, elapsedMs, aspects.prefix);
  }
  const own = text.trimStart().startsWith(bodyHeadings[body]);
  return own ? text.trimEnd() : `${bodyHeadings[body]}\n\n${text.trimEnd()}`;
}

/** L-034, L-846: only a run that no caller numbers announces its end. */
export function finalLine(aspects: OutputAspects, elapsedMs: number): string | undefined {
  return aspects.prefix.number === '' ? endLine('done', '5', payloads.complete, elapsedMs) : undefined;
}
