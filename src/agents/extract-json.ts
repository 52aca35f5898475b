import { isDeepStrictEqual } from 'node:util';
import { isRecord, type JsonValue, readJson } from '../base/safe-json.ts';
import type { JsonSchema } from './port.ts';

/** From where to where (exclusive) a JSON value reaches. */
type Extent = [from: number, end: number];

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

/** Only the end of a longer text is searched. */
const searchLimit = 4 * 1024 * 1024;
/** Of more values than this only the last are checked against the schema. */
const maxChecked = 200;

export type JsonShape = 'object' | 'array';

/** Which JSON counts as the answer. */
export type WantedJson = {
  shape?: JsonShape;
  /** Keys of the answer: an object without any of them is a snippet, not an attempt at the answer. Default: any value counts. */
  keys?: readonly string[];
  /** Default: every value that has one of the keys. */
  fits?: (value: JsonValue) => boolean;
  /** A text that ends within a value with one of the keys has no answer: what is complete before it was a draft. */
  whole?: boolean;
  /** Texts the agent was shown: among words, a value that appears there is a quotation. */
  shown?: readonly string[];
};

type JsonAnswer =
  | { kind: 'found'; value: JsonValue }
  /** The last value that has one of the keys; none of them fits. */
  | { kind: 'unfit'; value: JsonValue }
  /** Every value that fits was shown to the agent. */
  | { kind: 'repeated' }
  | { kind: 'cut-off' }
  /** No value has one of the keys; the last object, if there is any. */
  | { kind: 'none'; value?: JsonValue };

/**
 * The one reader of JSON answers. Words around the JSON never count; of several values the last complete one that fits is the
 * answer. Lines that begin with `>` are quotations. Never throws.
 */
export function readJsonAnswer(
  text: string,
  { shape, keys = [], fits = () => true, shown = [], whole = false }: WantedJson,
): JsonAnswer {
  if (whole && isCutOff(text, keys)) return { kind: 'cut-off' };
  const alone = readContainer(withoutFence(text.trim()), shape);
  const values =
    alone === undefined ? valuesFromLast(withoutQuotes(text.slice(-searchLimit)), shape) : [alone];
  let unfit: JsonValue | undefined;
  let other: JsonValue | undefined;
  let quoted = false;
  let [checked, shownValues]: [number, JsonValue[] | undefined] = [0, undefined];
  for (const value of values) {
    if (checked === maxChecked) break;
    if (!hasKey(value, keys)) {
      if (other === undefined || (!isRecord(other) && isRecord(value))) other = value;
      continue;
    }
    checked += 1;
    if (!holdsTrue(fits, value)) {
      unfit ??= value;
      continue;
    }
    shownValues ??= alone === undefined ? shown.flatMap(jsonIn) : [];
    if (!shownValues.some((each) => contains(each, value))) return { kind: 'found', value };
    quoted = true;
  }
  if (quoted) return { kind: 'repeated' };
  if (unfit !== undefined) return { kind: 'unfit', value: unfit };
  return other === undefined ? { kind: 'none' } : { kind: 'none', value: other };
}

/** Whether the text ends within a value that has one of the keys: an answer that was cut off, not a word around it. */
function isCutOff(text: string, keys: readonly string[]): boolean {
  const searched = text.slice(-searchLimit).trimEnd();
  const starts = [...searched.matchAll(new RegExp(`\\{\\s*"(?:${keys.join('|')})"\\s*:`, 'g'))];
  let at = starts.at(-1)?.index ?? searched.length;
  let [depth, keysBegun] = [0, 0];
  while (at < searched.length) {
    token.lastIndex = at;
    const [found] = token.exec(searched) ?? [];
    if (found === undefined) return false;
    if (found === '{' || found === '[') depth += 1;
    if (found === '}' || found === ']') depth -= 1;
    if (found === ':') keysBegun += 1;
    if (depth === 0) return false;
    at += found.length;
  }
  // The first key alone may be a form that is only mentioned.
  return depth > 0 && keysBegun > 1;
}

/** A token of JSON, or the beginning of a string that the text ends in. */
const token = /\s+|[{}[\],:]|"(?:[^"\\\n]|\\.)*(?:"|\\?$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The answer to a request for JSON by this schema, not yet checked against it. */
export function extractAnswer(text: string, schema: JsonSchema): JsonValue | undefined {
  const reading = readJsonAnswer(text, wantedBy(schema));
  return 'value' in reading ? reading.value : undefined;
}

/** The list under `key` in an answer; empty when it has none. */
export function extractList(text: string, key: string): JsonValue[] {
  const listOf = (value: JsonValue | undefined) => (isRecord(value) ? value[key] : undefined);
  const reading = readJsonAnswer(text, {
    shape: 'object',
    keys: [key],
    fits: (value) => Array.isArray(listOf(value)),
  });
  const list = reading.kind === 'found' ? listOf(reading.value) : undefined;
  return Array.isArray(list) ? list : [];
}

/** Shape and keys that a JSON Schema asks for. */
export function wantedBy({ type, properties }: JsonSchema): Pick<WantedJson, 'shape' | 'keys'> {
  return {
    ...(type === 'array' || type === 'object' ? { shape: type } : {}),
    keys: isRecord(properties) ? Object.keys(properties) : [],
  };
}

/** A citation such as [1] is a list too, so keys are those of objects. */
function hasKey(value: JsonValue, keys: readonly string[]): boolean {
  return keys.length === 0 || (isRecord(value) && keys.some((key) => Object.hasOwn(value, key)));
}

/** A check that fails on a value made to break it has not passed. */
function holdsTrue(check: (value: JsonValue) => boolean, value: JsonValue): boolean {
  try {
    return check(value);
  } catch {
    return false;
  }
}

function contains(shown: JsonValue, value: JsonValue): boolean {
  if (isDeepStrictEqual(shown, value)) return true;
  const parts = Array.isArray(shown) ? shown : isRecord(shown) ? Object.values(shown) : [];
  return parts.some((part) => contains(part, value));
}

function jsonIn(text: string): JsonValue[] {
  return [...valuesFromLast(text.slice(-searchLimit), undefined)];
}

function* valuesFromLast(text: string, shape: JsonShape | undefined): Generator<JsonValue> {
  for (const [from, end] of jsonExtents(
    text,
    shape === 'object' ? '{' : shape === 'array' ? '[' : '{[',
  ).reverse()) {
    const value = readContainer(text.slice(from, end), shape);
    if (value !== undefined) yield value;
  }
}

/** No line of JSON begins with `>`: in Markdown these are the words of others. */
function withoutQuotes(text: string): string {
  return text.replace(/^[ \t]*>.*$/gm, '');
}

/** What a single fence around the whole text holds. */
function withoutFence(text: string): string {
  return /^[`~]{3,}\w*\n(.*)\n[`~]{3,}$/s.exec(text)?.[1]?.trim() ?? text;
}

/** A bare number or word is not an answer to a request for JSON; only objects and arrays count. */
function readContainer(text: string, shape: JsonShape | undefined): JsonValue | undefined {
  const first = text[0];
  if (!((first === '{' && shape !== 'array') || (first === '[' && shape !== 'object'))) return undefined;
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}
