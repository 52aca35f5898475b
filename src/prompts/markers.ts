import { markdownLines } from '../base/text/markdown-lines.ts';

export type MarkerCount = { lazyLoadWarnings: number; resumeFallbacks: number };

/** Decoration that people and agents put around a line that stands alone. */
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
