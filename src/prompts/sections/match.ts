import { canonicalId, type Entry, type Reference } from './references.ts';
import type { Task } from './tasks.ts';

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
function findEntry(titled: Titled, reference: Reference): Match | undefined {
  return (
    search(titled, reference, true) ?? itemOfSection(titled, reference) ?? prefixFallback(titled, reference)
  );
}

/** Finds entries of one document; many tasks refer to the same, and each is looked for once. */
export function entryFinder(entries: readonly Entry[]): (reference: Reference) => Match | undefined {
  const titled = titledWith(entries);
  const known = new Map<string, { match: Match | undefined }>();
  return (reference) => {
    const key = `${reference.kind ?? ''} ${reference.id}`;
    const { match } = known.get(key) ?? { match: findEntry(titled, reference) };
    known.set(key, { match });
    return match;
  };
}

/** The entries whose titles may have an id: all its numbers must be in them. */
type Titled = (id: string) => readonly Entry[];

function titledWith(entries: readonly Entry[]): Titled {
  const byNumber = new Map<string, Entry[]>();
  for (const entry of entries)
    for (const number of new Set(entry.title.match(/\d+/g))) {
      const list = byNumber.get(number);
      if (list === undefined) byNumber.set(number, [entry]);
      else list.push(entry);
    }
  return (id) =>
    (id.match(/\d+/g) ?? [])
      .map((number) => byNumber.get(number) ?? [])
      .reduce<readonly Entry[]>((few, list) => (list.length < few.length ? list : few), entries);
}

/** Words after a number and a colon, without parentheses: `Stage 2: Helpers (parallel)`. */
const groupPattern = /^(?:[a-z]+\s+)?(\d+[a-z]?|[a-z])\s*[:.—–-]\s*(.*)$/is;

/** Every task below a heading compares its words; a longer title is prose. */
const longestGroup = 400;

/** The headings that have the number and the words of a group of tasks, whatever kind of group they call it. */
export function groupsOf(entries: readonly Entry[]): Map<string | undefined, Entry[]> {
  const headings = entries.filter(({ source }) => source === 'heading');
  return Map.groupBy(headings, ({ title }) => groupName(title));
}

export function groupName(title: string): string | undefined {
  if (title.length > longestGroup) return undefined;
  const match = groupPattern.exec(title.replace(/\([^()]*\)/g, ' ').replace(/[*_`[\]]/g, ''));
  const words = (match?.[2] ?? '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return match?.[1] === undefined || words.length < 4 ? undefined : `${match[1].toLowerCase()} ${words}`;
}

/** `Stage 2.3` is the third item of `Stage 2`, when that section numbers its items. */
function itemOfSection(titled: Titled, { id, kind }: Reference): Match | undefined {
  const [, first, second] = /^(\d+)\.(\d+)$/.exec(id) ?? [];
  if (first === undefined || second === undefined || kind === undefined) return undefined;
  const heading = new RegExp(`^${kind}\\s*${first}(?![\\w.])`, 'i');
  const sections = titled(first).filter((entry) => entry.source === 'heading' && heading.test(entry.title));
  const [section] = sections;
  if (section === undefined || sections.length > 1) return undefined;
  const item = new RegExp(`^${second}(?![\\w.])`);
  const hits = titled(second).filter(
    (entry) =>
      entry.source === 'item' &&
      entry.start > section.start &&
      entry.end <= section.end &&
      item.test(entry.title),
  );
  return hits.length === 1 ? best(hits, 'start') : undefined;
}

function search(titled: Titled, reference: Reference, mentions: boolean): Match | undefined {
  const entries = titled(reference.id);
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
  const word = wordPattern(reference.id);
  const words = headings.filter(({ title }) => word.test(title));
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
function prefixFallback(titled: Titled, reference: Reference): Match | undefined {
  const cut = reference.id.lastIndexOf('.');
  if (cut < 2) return undefined;
  return search(titled, { ...reference, id: reference.id.slice(0, cut) }, false);
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

/** Kind words that a bare `Plan 3` may mean. */
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

const filesField = /^[ \t]*(?:[-*][ \t]+)?\*\*Files?(?: to [a-z ]{2,20})?(?:\s*:\s*\*\*|\*\*\s*:)\s*(.*)$/im;
const dependsField =
  /^[ \t]*(?:[-*][ \t]+)?\*\*(?:Depends on|Dependencies|Depends|Blocked by)(?:\s*:\s*\*\*|\*\*\s*:)\s*(.*)$/im;

/** T-010: where a task says that the work happens, as it words it; a reader has to check the paths. */
export function taskFiles({ text }: Pick<Task, 'text'>): string[] {
  const value = filesField.exec(text)?.[1] ?? '';
  return value
    .split(/[,;]/)
    .map((piece) => /^[\s`*]*([^\s`*()]+)/.exec(piece)?.[1] ?? '')
    .filter((name) => /[./]/.test(name));
}

/** Which tasks must be done before; `undefined` when the task does not say, so that nothing is assumed. */
export function taskDependencies(
  { text }: Pick<Task, 'text'>,
  numbers: readonly string[],
): string[] | undefined {
  const value = dependsField.exec(text)?.[1];
  if (value === undefined) return undefined;
  const named = value.split(/[\s,;()]+/).map((word) => word.replace(/^T-?(?=\d)/i, '').replace(/[.:]$/, ''));
  const known = numbers.filter((number) => named.includes(number));
  if (known.length > 0) return known;
  return /^\s*(?:none|nothing|[-–—])/i.test(value) ? [] : undefined;
}

/** Tasks that are executed: a task that contains others is only their heading. */
export function leafTasks(tasks: readonly Task[]): Task[] {
  return tasks.filter((task) => {
    const end = task.line + task.text.split('\n').length - 1;
    return !tasks.some((other) => other.line > task.line && other.line <= end && other.level > task.level);
  });
}

/** Numbers name tasks in records and commits: a number that was given before gets a count behind it. */
export function withUniqueNumbers(tasks: readonly Task[]): Task[] {
  const given = new Set<string>();
  return tasks.map((task) => {
    let number = task.number;
    for (let count = 2; given.has(number); count += 1) number = `${task.number}-${count}`;
    given.add(number);
    return number === task.number ? task : { ...task, number };
  });
}
