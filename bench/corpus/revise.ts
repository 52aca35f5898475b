import { sentence } from './documents.ts';
import type { Random } from './random.ts';

/** Median characters of a recorded revision, as a diff with one line of context, by the document it changed. */
export const revisionMedians = { spec: 3_900, design: 3_100, plan: 3_600, tasks: 3_700 } as const;

/** A revision of about that size: lines in a few places are reworded, some are added. */
export function revise(random: Random, text: string, characters: number): string {
  const lines = text.split('\n');
  let left = characters;
  while (left > 0) {
    const place = random.whole(1, lines.length - 1);
    const old = lines[place] ?? '';
    const replacement = sentence(random);
    const adds = random.next() < 0.4;
    lines.splice(place, adds ? 0 : 1, replacement);
    // Context and hunk header around every change are part of the diff.
    left -= replacement.length + (adds ? 0 : old.length) + 150;
  }
  return lines.join('\n');
}
