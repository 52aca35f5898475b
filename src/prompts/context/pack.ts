import { scanLines } from '../../base/markdown/lines.ts';
import { headingLevel } from '../../base/markdown/sections.ts';
import { countCodePoints } from '../../base/text/strings.ts';
import { blockHeader } from './defaults.ts';
import type { Measure } from './measure.ts';
import type { FileReport } from './result.ts';

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

/** A file's place in the block; its kept text is passed beside the report. */
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
