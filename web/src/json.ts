import { readJson } from '../../src/safe-json.ts';

/** A document of our own server or report; anything else is an error that is shown. */
export function parse<Value>(text: string): Value {
  const reading = readJson(text);
  if (reading.ok) return reading.value as Value;
  throw new Error(`This is not JSON: ${reading.message}`);
}
