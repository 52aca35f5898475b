import type { Entry } from './index-entries.ts';
import { canonicalId, type Reference } from './references.ts';

/** How sure a match is: the title starts with the id, contains it as a word, or contains its letters. */
export type Rank = 'start' | 'word' | 'substring';

export type Match = { entry: Entry; rank: Rank; ambiguous: boolean };

/** lean/C-29: prefixes that people also spell out. */
const spelledOut: Readonly<Record<string, string>> = {
  c: 'component',
  i: 'interface',
  td: '(?:technical )?decision',
  pi: '(?:plan )?item',
};

const kindWords =
  'plan item|plan step|step|stage|phase|item|task|component|interface|section|technical decision|decision|group|change';
const joints = String.raw`[:.)—–\-\s(]`;

/**
 * The entry a reference means. Headings win over items; a title that starts with the id wins over one that merely
 * mentions it; the first of several wins and the result says so. Nothing is better than something wrong.
 */
export function findEntry(entries: readonly Entry[], reference: Reference): Match | undefined {
  return (
    search(entries, reference, true) ??
    itemOfSection(entries, reference) ??
    prefixFallback(entries, reference)
  );
}

/** Words after a number and a colon, without what stands in parentheses: `Stage 2: Helpers (parallel)`. */
const groupPattern = /^(?:[a-z]+\s+)?(\d+[a-z]?|[a-z])\s*[:.—–-]\s*(.*)$/i;

/** The one heading that has the number and the words of a group of tasks, whatever kind of group either calls it. */
export function findGroup(entries: readonly Entry[], title: string): Entry | undefined {
  const wanted = groupName(title);
  if (wanted === undefined) return undefined;
  const hits = entries.filter((entry) => entry.source === 'heading' && groupName(entry.title) === wanted);
  return hits.length === 1 ? hits[0] : undefined;
}

function groupName(title: string): string | undefined {
  const match = groupPattern.exec(title.replace(/\([^()]*\)/g, ' ').replace(/[*_`[\]]/g, ''));
  const words = (match?.[2] ?? '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return match?.[1] === undefined || words.length < 4 ? undefined : `${match[1].toLowerCase()} ${words}`;
}

/** `Stage 2.3` is the third item of `Stage 2`, when that section numbers its items. */
function itemOfSection(entries: readonly Entry[], { id, kind }: Reference): Match | undefined {
  const match = /^(\d+)\.(\d+)$/.exec(id);
  if (match === null || kind === undefined) return undefined;
  const heading = new RegExp(`^${kind}\\s*${match[1]}(?![\\w.])`, 'i');
  const sections = entries.filter((entry) => entry.source === 'heading' && heading.test(entry.title));
  const [section] = sections;
  if (section === undefined || sections.length > 1) return undefined;
  const item = new RegExp(`^${match[2]}(?![\\w.])`);
  const hits = entries.filter(
    (entry) =>
      entry.source === 'item' &&
      entry.start > section.start &&
      entry.end <= section.end &&
      item.test(entry.title),
  );
  return hits.length === 1 ? best(hits, 'start') : undefined;
}

function search(entries: readonly Entry[], reference: Reference, mentions: boolean): Match | undefined {
  const starts = startPatterns(reference);
  for (const source of ['heading', 'item'] as const) {
    const candidates = entries.filter((entry) => entry.source === source && isCandidate(entry, reference));
    for (const pattern of starts) {
      const hits = candidates.filter(({ title }) => pattern.test(title));
      // Numbered lists start again and again: which `3.` is meant cannot be known.
      if (hits.length > 1 && source === 'item' && isPlainNumber(reference.id)) return undefined;
      if (hits.length > 0) return best(hits, 'start');
    }
  }
  if (!mentions || isPlainNumber(reference.id)) return undefined;
  const headings = entries.filter((entry) => entry.source === 'heading');
  const words = headings.filter(({ title }) => wordPattern(reference.id).test(title));
  if (words.length > 0) return best(words, 'word');
  if (/\d/.test(reference.id) || reference.id.length < 4) return undefined;
  const lowered = reference.id.toLowerCase();
  const letters = headings.filter(({ title }) => title.toLowerCase().includes(lowered));
  return letters.length > 0 ? best(letters, 'substring') : undefined;
}

/** Remarks are not what a reference means; a plain number means an item at the margin. */
function isCandidate(entry: Entry, { id }: Reference): boolean {
  return !entry.aside && (entry.source === 'heading' || entry.indent === 0 || !isPlainNumber(id));
}

/** T-062, tricky case 3: `1A.1` may mean `1A`, but `1.2` never means whatever has a 1 in it. */
function prefixFallback(entries: readonly Entry[], reference: Reference): Match | undefined {
  const cut = reference.id.lastIndexOf('.');
  if (cut < 2) return undefined;
  return search(entries, { ...reference, id: reference.id.slice(0, cut) }, false);
}

function best(hits: readonly Entry[], rank: Rank): Match | undefined {
  const entry = hits.find(({ hasBody }) => hasBody) ?? hits[0];
  return entry === undefined
    ? undefined
    : { entry, rank, ambiguous: hits.length > 1 || rank === 'substring' };
}

/** `1`, `12`: a number that only a kind word or its place at the start gives a meaning. */
function isPlainNumber(id: string): boolean {
  return /^\d+[a-z]?$/i.test(id);
}

/** In order of trust: with the reference's own kind word, bare, with any kind word. */
function startPatterns({ id, kind }: Reference): RegExp[] {
  const escaped = escapePattern(canonicalId(id)).replace(/^([a-z]+)(?=\d)/, '$1-?');
  const end = String.raw`(?![\w]|\.\d|-\w)`;
  const article = String.raw`^(?:the\s+)?`;
  const patterns = [
    ...(kind === undefined ? [] : [`${article}(?:plan\\s+)?${kind}\\s*${escaped}${end}`]),
    `^${escaped}${end}`,
    ...spelledPatterns(id, article, end),
    // A plain number after a foreign kind word is another thing: `Step 1` is not `Phase 1`.
    ...(isPlainNumber(id) && kind !== undefined && kind !== 'item'
      ? []
      : [`${article}(?:${isPlainNumber(id) ? plainKinds : kindWords})\\s*${escaped}${end}`]),
  ];
  return patterns.map((pattern) => new RegExp(pattern, 'i'));
}

/** Kind words a bare `Plan 3` may stand for. */
const plainKinds = 'plan item|plan step|item|step';

function spelledPatterns(id: string, article: string, end: string): string[] {
  const match = /^([a-z]+)-?(\d.*)$/i.exec(id);
  const word = match?.[1] === undefined ? undefined : spelledOut[match[1].toLowerCase()];
  if (word === undefined || match?.[2] === undefined) return [];
  return [`${article}${word}\\s*${escapePattern(match[2])}${end}`];
}

function wordPattern(id: string): RegExp {
  const escaped = escapePattern(canonicalId(id)).replace(/^([a-z]+)(?=\d)/, '$1-?');
  return new RegExp(String.raw`(?:^|[\s(/,:])${escaped}(?=$|${joints.slice(0, -1)},/\]])(?!\.\d|-\w)`, 'i');
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
}
