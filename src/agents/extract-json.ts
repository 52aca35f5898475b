import { isDeepStrictEqual } from 'node:util';
import { isRecord, type JsonValue, readJson } from '../base/safe-json.ts';
import { jsonExtents } from './json-extents.ts';
import type { JsonSchema } from './port.ts';

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
  /** Texts the agent was shown: among words, a value that appears there is a quotation. */
  shown?: readonly string[];
};

export type JsonAnswer =
  | { kind: 'found'; value: JsonValue }
  /** The last value that has one of the keys; none of them fits. */
  | { kind: 'unfit'; value: JsonValue }
  /** Every value that fits was shown to the agent. */
  | { kind: 'repeated' }
  /** No value has one of the keys; the last object, if there is any. */
  | { kind: 'none'; value?: JsonValue };

/**
 * The one reader of JSON answers. Words around the JSON never count; of several values the last complete one that fits is the
 * answer. Lines that begin with `>` are quotations. Never throws.
 */
export function readJsonAnswer(
  text: string,
  { shape, keys = [], fits = () => true, shown = [] }: WantedJson,
): JsonAnswer {
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
