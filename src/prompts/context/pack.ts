import { scanLines } from '../../base/markdown/lines.ts';
import { headingLevel } from '../../base/markdown/sections.ts';
import { countCodePoints, indexOfCodePoint } from '../../base/text/strings.ts';
import { type CountingRule, loadExactCounter, quarterTokens } from '../../base/text/tokens.ts';
import { blockHeader, type FileReport } from './defaults.ts';

/** Where a document may end early. `limit` and the result are UTF-16 indices; everything before the result is kept. */
type Cut = { index: number; at: 'section' | 'line' | 'character' };

/**
 * A-14…A-16: the last `##` or `###` heading at or before `limit` that has something to say before it. Headings in fences,
 * comments and front matter are none.
 */
export function sectionCut(text: string, limit: number): Cut | undefined {
  let index: number | undefined;
  let hasContent = false;
  scanLines(text, (kind, start, end) => {
    if (start > limit) return false;
    if (hasContent && kind === 'text') {
      const level = headingLevel(text, start, end);
      if (level === 2 || level === 3) index = start;
    }
    hasContent ||= text.slice(start, end).trim() !== '';
    return true;
  });
  return index === undefined ? undefined : { index, at: 'section' };
}

/** the last line start at or before `limit`, else the limit itself, never between CR and LF. */
export function hardCut(text: string, limit: number): Cut {
  let start = limit > 0 ? text.lastIndexOf('\n', limit - 1) + 1 : 0;
  if (text.slice(0, start).trim() === '') start = 0;
  if (start > 0) return { index: start, at: 'line' };
  const splitsEnding = limit > 0 && text[limit - 1] === '\r' && text[limit] === '\n';
  return { index: splitsEnding ? limit - 1 : limit, at: 'character' };
}

/** A file's place in the block, with its kept text. */
export type BlockSection = { file: FileReport; text: string };

/**
 * M-040…M-045: header, blank line, then per file the citation, its text and, if it was cut, a marker; last the warnings.
 * All lines of ours end in LF, and the block ends in one.
 */
export function renderBlock(sections: readonly BlockSection[], unreadable: readonly FileReport[]): string {
  const parts = [blockHeader, ...sections.map(renderSection)];
  if (unreadable.length > 0) parts.push(warningsLine(unreadable));
  return `${parts.join('\n\n')}\n`;
}

function renderSection({ file, text }: BlockSection): string {
  const citation = `> source: ${file.path}`;
  const content = withoutFinalNewlines(text);
  const cited = content === '' ? citation : `${citation}\n${content}`;
  return file.state === 'cut' ? `${cited}\n\n${marker(file)}` : cited;
}

function marker(file: FileReport): string {
  return `> truncated: ${file.token}.md at char_offset=${file.offset ?? 0}`;
}

function warningsLine(unreadable: readonly FileReport[]): string {
  const entries = unreadable.map(({ token, reason }) => `${token} unreadable: ${reason ?? 'io error'}`);
  return `> warnings: [${entries.join(', ')}]`;
}

/** newlines at the end go, nothing else. */
function withoutFinalNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= end > 1 && text[end - 2] === '\r' ? 2 : 1;
  return end === text.length ? text : text.slice(0, end);
}

/** whether a line of a document looks like one of ours. */
export function imitatesOurs(line: string): boolean {
  return line === blockHeader || /^> (?:source: |truncated: .* at char_offset=|warnings: \[)/.test(line);
}

/** Something that wants a place in a brief. */
export type Candidate = {
  id: string;
  text: string;
  /** Number of code points, when known already. */
  characters?: number;
  /** Smaller comes first; equal ranks keep the order they were given in. */
  rank?: number;
  /** Never dropped: what does not fit is cut, inside a section if it must be. */
  isProtected?: boolean;
  /** Dropped rather than cut. */
  isIndivisible?: boolean;
};

/**
 * What happens when a candidate does not fit.
 * - `cut`: it is cut at a section, everything of lower rank is dropped.
 * - `drop`: the lowest is dropped until the rest fits; only the last one left is cut.
 * - `skip`: it is cut if it is protected, else left out; smaller ones of lower rank may still get in.
 */
export type Overflow = 'cut' | 'drop' | 'skip';

export type Packed = {
  id: string;
  state: 'whole' | 'cut' | 'dropped';
  characters: number;
  /** In the unit of the measure. */
  size: number;
  /** Size of what was kept. */
  keptSize: number;
  /** What was kept; empty when dropped. */
  text: string;
  /** Code points kept; the offset of the first character that is missing. */
  offset: number;
  cutAt?: Cut['at'];
};

export type PackReport = {
  rule: Measure['rule'];
  cap: number;
  capacity: number;
  used: number;
  /** In the order the candidates were given. */
  items: Packed[];
};

type Entry = { candidate: Candidate; characters: number; size: number };

/** Packs candidates under a cap: ranked, taken whole while they fit, then cut or dropped. */
export function packBrief(
  candidates: readonly Candidate[],
  options: { cap: number; measure: Measure; overflow: Overflow },
): PackReport {
  const { cap, measure, overflow } = options;
  const capacity = Math.max(0, measure.capacity(cap));
  const entries = candidates.map((candidate): Entry => {
    const characters = candidate.characters ?? countCodePoints(candidate.text);
    return { candidate, characters, size: measure.size(candidate.text, characters) };
  });
  const ranked = rank(entries);
  const kept = overflow === 'drop' ? dropFromBottom(ranked, capacity) : ranked;
  const packed = new Map<Entry, Packed>();
  let used = 0;
  let isFull = false;
  for (const entry of kept) {
    const room = capacity - used;
    const item: Packed = isFull ? dropped(entry) : place(entry, room, measure, overflow, kept.length === 1);
    isFull ||= item.state !== 'whole' && overflow !== 'skip';
    used += item.keptSize;
    packed.set(entry, item);
  }
  const items = entries.map((entry) => packed.get(entry) ?? dropped(entry));
  return { rule: measure.rule, cap, capacity, used, items };
}

/** protected candidates get their share first, then the order is by rank. */
function rank(entries: readonly Entry[]): Entry[] {
  const protectedFirst = (entry: Entry) => (entry.candidate.isProtected === true ? 0 : 1);
  return [...entries].sort(
    (a, b) => protectedFirst(a) - protectedFirst(b) || (a.candidate.rank ?? 0) - (b.candidate.rank ?? 0),
  );
}

function dropFromBottom(ranked: readonly Entry[], capacity: number): Entry[] {
  const rest = [...ranked];
  let sum = rest.reduce((total, { size }) => total + size, 0);
  while (sum > capacity && rest.length > 1) sum -= rest.pop()?.size ?? 0;
  return rest;
}

function place(entry: Entry, room: number, measure: Measure, overflow: Overflow, isAlone: boolean): Packed {
  const { candidate, characters, size } = entry;
  const { id, text } = candidate;
  if (size <= room) return { id, state: 'whole', characters, size, keptSize: size, text, offset: characters };
  const mustStay = candidate.isProtected === true || (isAlone && overflow !== 'skip');
  const mayBeCut = mustStay || (candidate.isIndivisible !== true && overflow === 'cut');
  if (!mayBeCut) return dropped(entry);
  const kept = cutToFit(text, room, measure, mustStay);
  return kept === undefined ? dropped(entry) : { id, state: 'cut', characters, size, ...kept };
}

type Kept = Pick<Packed, 'text' | 'offset' | 'keptSize' | 'cutAt'>;

/** A prefix may cost a token more than a longer one, so the size of what is kept is checked, not assumed. */
function cutToFit(text: string, room: number, measure: Measure, mustStay: boolean): Kept | undefined {
  let limit = measure.longestPrefix(text, room);
  for (;;) {
    const cut = sectionCut(text, limit) ?? (mustStay ? hardCut(text, limit) : undefined);
    if (cut === undefined) return undefined;
    const kept = text.slice(0, cut.index);
    const offset = countCodePoints(kept);
    const keptSize = measure.size(kept, offset);
    if (keptSize <= room || cut.index === 0) return { text: kept, offset, keptSize, cutAt: cut.at };
    limit = cut.index - 1;
  }
}

function dropped({ candidate, characters, size }: Entry): Packed {
  return { id: candidate.id, state: 'dropped', characters, size, keptSize: 0, text: '', offset: 0 };
}

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
