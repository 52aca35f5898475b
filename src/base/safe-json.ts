import { CharretteError } from './errors.ts';

/** JSON for files that people read: two spaces, a final newline. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The entry of a table under an untrusted name: every object has a `constructor`, no table does. */
export function tableEntry<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

type JsonReading = { ok: true; value: JsonValue } | { ok: false; message: string };

const defaultLimit = 64 * 1024 * 1024;

/** Far more than a document needs, and far less than where code that walks a value level by level runs out of stack. */
export const deepestJson = 200;

const byteOrderMark = /^\uFEFF/;

/**
 * The only place that calls JSON.parse. Never throws, bounds length and depth and drops keys that reach for prototypes. Ignores a
 * byte order mark, which editors put before a text.
 */
export function readJson(text: string, limit = defaultLimit): JsonReading {
  if (text.length > limit) {
    return { ok: false, message: `${text.length} characters of JSON, at most ${limit} are read` };
  }
  if (isTooDeep(text)) return { ok: false, message: `more than ${deepestJson} levels of JSON` };
  try {
    return { ok: true, value: JSON.parse(text.replace(byteOrderMark, ''), dropPrototypeKeys) as JsonValue };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Parses JSON that must be right; `source` names where it came from in the error. */
export function parseJson(text: string, source: string): JsonValue {
  const reading = readJson(text);
  if (reading.ok) return reading.value;
  throw new CharretteError({
    code: 'json-invalid',
    message: `${source} is not valid JSON: ${reading.message}.`,
  });
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether lists and objects lie too deep within one another; exact for JSON, and of no matter for what is none. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > deepestJson) return true;
  }
  return false;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function dropPrototypeKeys(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isTime = (value: unknown): value is string => isText(value) && !Number.isNaN(Date.parse(value));

/** Tokens, bytes, milliseconds, attempts; sums of them stay numbers. */
export const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

export function orMissing(is: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || is(value);
}
