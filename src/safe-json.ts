import { CharretteError } from './errors.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type JsonReading = { ok: true; value: JsonValue } | { ok: false; message: string };

const defaultLimit = 64 * 1024 * 1024;

/** The only place that calls JSON.parse. Never throws, bounds its input and drops keys that reach for prototypes. */
export function readJson(text: string, limit = defaultLimit): JsonReading {
  if (text.length > limit) {
    return { ok: false, message: `${text.length} characters of JSON, at most ${limit} are read` };
  }
  try {
    return { ok: true, value: JSON.parse(text, dropPrototypeKeys) as JsonValue };
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

function dropPrototypeKeys(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}
