/** From where to where (exclusive) a JSON value reaches. */
export type Extent = [from: number, end: number];

/**
 * The objects and arrays in a text that begin with one of `brackets`, without those inside another one. Each character is read a fixed
 * number of times: what one attempt finds out about a bracket, later attempts reuse.
 */
export function jsonExtents(text: string, brackets: string): Extent[] {
  // By position of a bracket: 0 unknown, -1 not the start of JSON, else the end of the value that starts there.
  const ends = new Int32Array(text.length);
  const extents: Extent[] = [];
  let inside = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '{' && text[at] !== '[') continue;
    if (ends[at] === 0) {
      // Inside a list that is JSON, a bracket without an end is part of a string.
      if (at < inside) continue;
      recognise(text, at, ends);
    }
    const end = ends[at] ?? -1;
    if (end < 0) continue;
    if (brackets.includes(text[at] ?? '')) {
      extents.push([at, end]);
      at = end - 1;
    } else inside = Math.max(inside, end);
  }
  return extents;
}

type Expected = 'value' | 'first-value' | 'key' | 'first-key' | 'next';

/** Reads JSON from `from` on and notes where it and all lists and objects in it end. */
function recognise(text: string, from: number, ends: Int32Array): void {
  const open: number[] = [];
  let expected: Expected = 'value';
  let at = from;
  while (at >= 0) {
    at = afterSpace(text, at);
    const character = text[at];
    const closes =
      (character === '}' && inObject(text, open) && (expected === 'next' || expected === 'first-key')) ||
      (character === ']' && !inObject(text, open) && (expected === 'next' || expected === 'first-value'));
    if (closes) {
      at += 1;
      ends[open.pop() ?? from] = at;
      if (open.length === 0) return;
      expected = 'next';
    } else if (expected === 'next') {
      if (character !== ',') break;
      at += 1;
      expected = inObject(text, open) ? 'key' : 'value';
    } else if (expected === 'key' || expected === 'first-key') {
      at = afterColon(text, afterString(text, at));
      expected = 'value';
    } else if (character === '{' || character === '[') {
      open.push(at);
      at += 1;
      expected = character === '{' ? 'first-key' : 'first-value';
    } else {
      at = character === '"' ? afterString(text, at) : afterWord(text, at);
      expected = 'next';
    }
  }
  for (const start of open) ends[start] = -1;
}

function inObject(text: string, open: readonly number[]): boolean {
  return text[open.at(-1) ?? -1] === '{';
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

function afterColon(text: string, from: number): number {
  if (from < 0) return -1;
  const at = afterSpace(text, from);
  return text[at] === ':' ? at + 1 : -1;
}

const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function afterWord(text: string, from: number): number {
  word.lastIndex = from;
  return word.test(text) ? word.lastIndex : -1;
}

/** Behind the closing quote of the string at `from`; -1 when there is none. */
function afterString(text: string, from: number): number {
  if (text[from] !== '"') return -1;
  let at = from + 1;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '"') return at + 1;
    if (character < ' ') return -1;
    if (character === '\\') {
      escaped.lastIndex = at;
      if (!escaped.test(text)) return -1;
      at = escaped.lastIndex;
    } else at += 1;
  }
  return -1;
}
