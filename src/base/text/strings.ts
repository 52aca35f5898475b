/** A text as a regular expression that matches nothing but it. */
export function literalPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** For a person to paste: one word of a command line, whatever is in it. */
export function shellWord(word: string): string {
  return /^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Removes these characters from the end. A loop: a pattern would scan every run of them again from each position. */
export function trimEndChars(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A title without the note in parentheses at its end: `Collect (optional)` is `Collect`. */
export function withoutLastNote(title: string): string {
  const text = title.trimEnd();
  if (!text.endsWith(')')) return text;
  const open = text.indexOf('(', text.lastIndexOf(')', text.length - 2) + 1);
  return open < 0 ? text : text.slice(0, open).trimEnd();
}

/** Values that come more than once, each named once. */
export function repeated(values: readonly string[]): string[] {
  const once = new Set<string>();
  const again = new Set<string>();
  for (const value of values) (once.has(value) ? again : once).add(value);
  return [...again];
}

/**
 * The text with every piece from an opening to its next closing replaced; keeps what is never closed. Two searches: a pattern would
 * search for the closing again from each opening.
 */
export function replaceBetween(
  text: string,
  open: string,
  close: string,
  replacement: (piece: string) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start + open.length);
    if (end < 0) break;
    parts.push(text.slice(from, start), replacement(text.slice(start, end + close.length)));
    from = end + close.length;
  }
  return parts.join('') + text.slice(from);
}

/** A path to compare: without `./` and doubled slashes. An absolute path stays absolute. */
export function plainPath(path: string): string {
  return path.replace(/^(?:\s|\.\/)+/, '').replace(/\/(?:\.?\/)+/g, '/');
}

/** Whether a path that should stay in the repository names another place, on any system. */
export function leadsOut(path: string): boolean {
  return (
    /^[\\/]/.test(path) ||
    /^[A-Za-z]:/.test(path) ||
    path.includes('\0') ||
    path.split(/[\\/]/).includes('..')
  );
}

/** Number of Unicode code points in a range of a string. A-05: a character is a code point, not a UTF-16 unit. */
export function countCodePoints(text: string, start = 0, end = text.length): number {
  let count = end - start;
  for (let index = start; index < end - 1; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) continue;
    count -= 1;
    index += 1;
  }
  return count;
}

/** The UTF-16 index that lies `points` code points after `start`, at most the end of the text. */
export function indexOfCodePoint(text: string, points: number, start = 0): number {
  let index = start;
  for (let left = points; left > 0 && index < text.length; left -= 1) {
    const pair =
      (text.charCodeAt(index) & 0xfc00) === 0xd800 &&
      index + 1 < text.length &&
      (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    index += pair ? 2 : 1;
  }
  return index;
}

/** A short kebab-case name made of a text's words, `fallback` when none of its characters survive. */
export function slugify(text: string, maximum = 50, fallback = 'untitled'): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return cutAtWord(slug, maximum) || fallback;
}

function cutAtWord(slug: string, maximum: number): string {
  if (slug.length <= maximum) return slug;
  const cut = slug.slice(0, maximum + 1);
  const boundary = cut.lastIndexOf('-');
  return (boundary > 0 ? cut.slice(0, boundary) : slug.slice(0, maximum)).replace(/-+$/, '');
}

/** `1 file`, `3 files`: a number with its noun. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** L-037: `45s`, `2m31s`, `1h3m`; zero parts are dropped, hours never show seconds. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${unlessZero(seconds % 60, 's')}`;
  return `${Math.floor(minutes / 60)}h${unlessZero(minutes % 60, 'm')}`;
}

function unlessZero(value: number, unit: string): string {
  return value === 0 ? '' : `${value}${unit}`;
}

const maxHeadline = 200;

/** The first line of a text that says something, without the marks of a heading: what a whole document is listed under. */
export function headline(text: string): string {
  const line = text.split('\n').map(plainLine).find(Boolean) ?? '';
  const points = Array.from(line.slice(0, 2 * maxHeadline));
  return points.length <= maxHeadline && line.length <= 2 * maxHeadline
    ? line
    : `${points.slice(0, maxHeadline - 1).join('')}…`;
}

function plainLine(line: string): string {
  return line.trim().replace(/^#{1,6}(?:\s+|$)/, '');
}

/** The first of some names in a line, and how many there are besides. */
export function joinTruncated(names: readonly string[], most = 5, separator = ', '): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `950`, `12.3k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

/** The number in a text: digits, perhaps with a point. Rejects empty texts, blanks, signs, exponents and `0x`. */
export function plainNumber(text: string): number | undefined {
  const number = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** ` Did you mean \`x\`?` for the nearest candidate, or nothing when none is near. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` Did you mean \`${near}\`?`;
}

export function nearest(word: string, candidates: readonly string[]): string | undefined {
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** Letters added, left out, replaced, or two neighbours swapped. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}

// Text of agents and files as people may see it. Browsers run this too.

/**
 * Sequences that only paint: colours and places (CSI), links around a text, two characters. Others (titles, clipboards) carry
 * text, which must stay visible: a reader would approve something else than what the next agent reads.
 */
const painting =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\]8;[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\)|\u001b(?![[\]PX^_])[ -/]*[0-~]/g;

/** Controls, and the marks that turn the direction of writing: both change what a reader sees without being seen. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The styles that our own lines are painted with. */
const ownStyles = /(\u001b\[(?:0|1|2|3|4|9|22|23|24|29|3[1-79]|9[0-7])m)/;

/** On a line of ours: escape sequences and other unseen characters are gone, lines stay. */
export function untrustedText(text: string): string {
  return withoutPainting(text.replace(/\r\n?/g, '\n')).replace(unseen, '').replaceAll('\t', '  ');
}

/** The same on one line. */
export function untrustedLine(text: string): string {
  return untrustedText(text).replace(/\s+/g, ' ').trim();
}

/** A whole text: colours are dropped, and what could deceive becomes visible. */
export function visibleText(text: string): string {
  return withoutPainting(text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n')).replace(unseen, '�');
}

/** What we print with text of others in it: only our own colours reach the terminal. */
export function terminalText(text: string): string {
  return text
    .split(ownStyles)
    .map((part, index) => (index % 2 === 1 ? part : visibleText(part)))
    .join('');
}

/** JSON with every character escaped that a terminal obeys or a reader does not see; it means the same. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    unseen,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function withoutPainting(text: string): string {
  return text.replace(painting, '');
}
