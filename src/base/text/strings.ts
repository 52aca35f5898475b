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
