import { countCodePoints } from '../../base/text/strings.ts';
import { type Cut, hardCut, sectionCut } from './cut.ts';
import type { Measure } from './measure.ts';

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
