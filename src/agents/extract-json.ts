import { isDeepStrictEqual } from 'node:util';
import { deepestJson, isRecord, type JsonValue, readJson } from '../safe-json.ts';
import type { JsonSchema } from './port.ts';

/** How far a text is searched and how many characters that may touch: a hostile answer costs little. */
const searchLimit = 4 * 1024 * 1024;
const workLimit = 32 * 1024 * 1024;

type Shape = 'object' | 'array';

/**
 * The JSON object or array in an answer: the whole text, else the one value that stands in its prose, fences or bold;
 * models narrate, fence and set in bold what they were asked to print bare. With `keys`, values that have one of them go
 * before those that have none. Several values that differ are no answer: one of them may be a text by somebody else that
 * the answer only speaks of.
 */
export function extractJson(
  text: string,
  shape?: Shape,
  keys: readonly string[] = [],
): JsonValue | undefined {
  const whole = readContainer(text.trim(), shape);
  if (whole !== undefined) return whole;
  const values = valuesIn(withoutQuotes(text.slice(-searchLimit)), shape);
  // A citation such as [1] is a list too.
  const objects = values.filter(isRecord);
  const known = objects.filter((value) => isRecord(value) && keys.some((key) => Object.hasOwn(value, key)));
  const [first, ...others] = [known, objects, values].find(({ length }) => length > 0) ?? [];
  return others.every((other) => isDeepStrictEqual(other, first)) ? first : undefined;
}

/** The answer to a request for JSON by this schema, not yet checked against it. What cannot be read is none, for whatever reason. */
export function extractAnswer(text: string, schema: JsonSchema): JsonValue | undefined {
  try {
    const { type, properties } = schema;
    const shape = type === 'array' || type === 'object' ? type : undefined;
    return extractJson(text, shape, isRecord(properties) ? Object.keys(properties) : []);
  } catch {
    return undefined;
  }
}

/** The JSON objects and arrays that stand in a text. */
export function jsonIn(text: string): JsonValue[] {
  return valuesIn(text.slice(-searchLimit), undefined);
}

/** No line of JSON begins with `>`: in Markdown these are the words of others. */
function withoutQuotes(text: string): string {
  return text.replace(/^[ \t]*>.*$/gm, '');
}

/** All values that stand in the text, those within others left out. */
function valuesIn(text: string, shape: Shape | undefined): JsonValue[] {
  const values: JsonValue[] = [];
  let work = 0;
  for (let at = 0; at < text.length && work < workLimit; at += 1) {
    const character = text[at];
    if (character !== '{' && character !== '[') continue;
    const extent = extentAt(text, at);
    work += (extent?.end ?? text.length) - at;
    if (extent === undefined) continue;
    const value = readContainer(text.slice(at, extent.end + 1), shape);
    // What is too deep to be read is still one value: its parts are no answers of their own.
    if (value === undefined && extent.depth <= deepestJson) continue;
    if (value !== undefined) values.push(value);
    at = extent.end;
  }
  return values;
}

/** Where the bracket at `from` closes, with strings respected, and how many levels lie within; absent when it never does. */
function extentAt(text: string, from: number): { end: number; depth: number } | undefined {
  let [depth, deepest] = [0, 0];
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return { end: at, depth: deepest };
    }
  }
  return undefined;
}

/** A bare number or word in prose is no answer to a request for JSON; only objects and arrays count. */
function readContainer(text: string, shape: Shape | undefined): JsonValue | undefined {
  const first = text[0];
  if (!((first === '{' && shape !== 'array') || (first === '[' && shape !== 'object'))) return undefined;
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}
