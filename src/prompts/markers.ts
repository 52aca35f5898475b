import { markdownLines } from '../base/markdown/lines.ts';
import { type ComposedPrompt, type Part, type PartKind, words } from './part.ts';

export type TokenCount = (text: string) => number;

export type PromptReport = {
  characters: number;
  tokens: number;
  /** What a provider's prompt cache can reuse between iterations. */
  prefixCharacters: number;
  prefixTokens: number;
  /** Counted one by one; because tokens can join across borders the sum may differ from the total by a few. */
  parts: readonly { name: string; kind: PartKind; characters: number; tokens: number }[];
};

/** T-135: what a prompt weighs, whole and by part, in characters and in tokens of the given counter. */
export function reportPrompt(prompt: ComposedPrompt, count: TokenCount): PromptReport {
  return {
    characters: prompt.text.length,
    tokens: count(prompt.text),
    prefixCharacters: prompt.prefix.length,
    prefixTokens: count(prompt.prefix),
    parts: prompt.parts.map(({ name, kind, text }) => ({
      name,
      kind,
      characters: text.length,
      tokens: count(text),
    })),
  };
}

/** How the domain reviewer of the phase ended. */
export type DomainOutcome = {
  reviewer: string;
  approved: boolean;
  iteration: number;
  max: number;
  unresolved: readonly string[];
};

/** T-047, T-048: what the phase reviewer learns about the review before it. */
export function outcomePart({ reviewer, approved, iteration, max, unresolved }: DomainOutcome): Part {
  const result = approved
    ? `APPROVED at iteration ${iteration}/${max}`
    : `FAILED at iteration cap (${max}/${max})`;
  const lines = [`- Reviewer: ${reviewer}`, `- Result: ${result}`];
  if (unresolved.length === 0) {
    return words(
      'domain-outcome',
      [...lines, '- Unresolved issues: none'].join('\n'),
      'Domain Reviewer Outcome',
    );
  }
  return {
    name: 'domain-outcome',
    heading: 'Domain Reviewer Outcome',
    text: [...lines, '- Unresolved issues:'].join('\n'),
    untrusted: [
      {
        tag: 'unresolved_issues',
        content: unresolved.map((issue) => `- ${issue}`).join('\n'),
        limit: 60_000,
      },
    ],
  };
}

export type MarkerCount = { lazyLoadWarnings: number; resumeFallbacks: number };

/** Decoration that people and agents put before a marker: a bullet, emphasis, a backtick. */
const lead = String.raw`^\s*(?:[-*+]\s+)?[*_\`]{0,3}`;
const lazy = new RegExp(
  String.raw`${lead}LAZY-LOAD-WARNING[*_\`]{0,3}:[*_\`]{0,3}\s+\S.*\bdid not confirm\b`,
);
/** lean/C-25: written with an em dash, read with two hyphens too. */
const fallback = new RegExp(
  String.raw`${lead}RESUME-FALLBACK[*_\`]{0,3}:[*_\`]{0,3}\s+\S+\s+iteration\s+\d+\s*(?:—|--|–)`,
);

/** T-085: marker lines of a review history. A mention inside prose is not one. */
export function countMarkers(history: string): MarkerCount {
  let lazyLoadWarnings = 0;
  let resumeFallbacks = 0;
  for (const { kind, start, end } of markdownLines(history)) {
    if (kind !== 'text') continue;
    const line = history.slice(start, Math.min(end, start + 2_000));
    if (lazy.test(line)) lazyLoadWarnings += 1;
    else if (fallback.test(line)) resumeFallbacks += 1;
  }
  return { lazyLoadWarnings, resumeFallbacks };
}

/** T-104: the line that says why a session was not continued. */
export function resumeFallbackLine(role: string, iteration: number, reason: string): string {
  const summary = reason.replace(/\s+/g, ' ').trim().slice(0, 200);
  return `RESUME-FALLBACK: ${role} iteration ${iteration} — ${summary || 'unknown error'}`;
}

/** Headings that begin the record of one iteration (T-081, T-084), or say why one was left out. */
const iterationHeading = /^#{2,6}\s.*\biteration\b/i;

export function countIterations(history: string): number {
  return markdownLines(history).filter(
    ({ kind, start, end }) =>
      kind === 'text' && iterationHeading.test(history.slice(start, Math.min(end, start + 400))),
  ).length;
}
