import { countCodePoints, indexOfCodePoint } from '../../base/text/strings.ts';
import { type CountingRule, loadExactCounter, quarterTokens } from '../../base/text/tokens.ts';

/**
 * How the size of a text is counted, and what a cap means in that unit. `characters/4*1.1` counts in quarters of
 * characters and turns the cap into the largest sum of quarters that does not exceed it.
 */
export type Measure = {
  rule: CountingRule | 'characters';
  /** The cap in the unit of `size`. */
  capacity: (cap: number) => number;
  size: (text: string, characters?: number) => number;
  /** Size as people read it: tokens or characters. */
  shown: (size: number) => number;
  /** UTF-16 index of the longest prefix whose size is at most `room`. */
  longestPrefix: (text: string, room: number) => number;
};

const byCharacters = (perUnit: number) => ({
  size: (text: string, characters = countCodePoints(text)) => Math.ceil(characters / perUnit),
  longestPrefix: (text: string, room: number) => indexOfCodePoint(text, room * perUnit),
});

/** Project specs: a cap in characters. */
export const characters: Measure = {
  rule: 'characters',
  capacity: (cap) => cap,
  shown: (size) => size,
  ...byCharacters(1),
};

/** The plain estimate. */
export const quarters: Measure = {
  rule: 'characters/4',
  capacity: (cap) => cap,
  shown: (size) => size,
  ...byCharacters(4),
};

/** M-031: the estimate of the design documents, with a tenth of reserve. */
export const paddedQuarters: Measure = {
  rule: 'characters/4*1.1',
  capacity: (cap) => Number((BigInt(cap) * 10n) / 11n),
  shown: (size) => (size * 11) / 10,
  ...byCharacters(4),
  size: (text, known = countCodePoints(text)) => quarterTokens(known),
};

/** The exact rule; loading its vocabulary takes a moment, so it is made on demand. */
export async function exactTokens(): Promise<Measure> {
  const count = await loadExactCounter();
  return {
    rule: 'o200k',
    capacity: (cap) => cap,
    shown: (size) => size,
    size: (text) => count(text),
    longestPrefix: (text, room) => longestByCount(text, room, count),
  };
}

/** No token of the vocabulary is longer than this many characters. */
const longestToken = 128;

function longestByCount(text: string, room: number, count: (text: string) => number): number {
  let low = 0;
  let high = Math.min(text.length, room * longestToken);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(text.slice(0, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const splitsPair = low > 0 && low < text.length && (text.charCodeAt(low) & 0xfc00) === 0xdc00;
  return splitsPair ? low - 1 : low;
}
