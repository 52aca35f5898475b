import { isRecord, readJson } from '../../src/base/safe-json.ts';
import { visibleText } from '../../src/base/text/strings.ts';

/**
 * A document of our own server or report. Every text in it is cleaned here, at the door: whatever an agent wrote, no view
 * has to think of it again.
 */
export function parse<Value>(text: string): Value {
  const reading = readJson(text);
  if (reading.ok) return clean(reading.value) as Value;
  throw new Error(`This is not JSON: ${reading.message}`);
}

export function clean(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clean(inner)]));
}
