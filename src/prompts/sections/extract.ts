import type { Indexed } from './scope.ts';

/** T-061, T-062: the section an id means, heading and subsections included; `undefined` when there is none. */
export function extractSection(document: Indexed, id: string): string | undefined {
  const match = document.find({ artifact: 'design', id });
  return match === undefined ? undefined : document.text.slice(match.entry.start, match.entry.end);
}
