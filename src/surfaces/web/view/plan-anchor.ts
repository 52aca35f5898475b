import { countLines } from '../../../base/text/diff.ts';

/** The place in the plan that a finding is about. `line` counts from 1. */
export type PlanAnchor = { line: number; section: string };

export type Anchored = {
  title: string;
  concern: string;
  suggestion: string;
  evidence: string;
  resolution?: string;
};

const shortest = 4;
const least = 2;

/**
 * The line of the plan that shares most with a finding. Words that stand everywhere in the plan say nothing, files that
 * both name say much, and for a finding that was worked in a line that the revision added says more than one that was there.
 */
export function anchorIn(plan: string, before: string, finding: Anchored): PlanAnchor | undefined {
  const lines = plan.split('\n').slice(0, countLines(plan));
  const end = lines.findIndex((line) => /^## Dissent\b/.test(line));
  const body = end < 0 ? lines : lines.slice(0, end);
  const old = new Set(before.split('\n'));
  const frequency = new Map<string, number>();
  for (const line of body)
    for (const word of wordsOf(line)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const { title, concern, suggestion, evidence, resolution = '' } = finding;
  const wanted = wordsOf([title, concern, suggestion, resolution].join(' '));
  const files = new Set([...evidence.matchAll(/(?<![\w./-])[\w./-]+\.\w+/g)].map(([file]) => file));
  let best: PlanAnchor | undefined;
  let highest = least;
  let section = '';
  for (const [index, line] of body.entries()) {
    const heading = /^#{1,4} (.*)$/.exec(line)?.[1];
    if (heading !== undefined) {
      section = heading;
      continue;
    }
    let score = 0;
    for (const word of wordsOf(line)) if (wanted.has(word)) score += 2 / (frequency.get(word) ?? 1);
    for (const file of files) if (line.includes(file)) score += 2;
    if (resolution !== '' && score > 0 && !old.has(line)) score += 2;
    if (score > highest) {
      highest = score;
      best = { line: index + 1, section };
    }
  }
  return best;
}

function wordsOf(text: string): Set<string> {
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length >= shortest),
  );
}
