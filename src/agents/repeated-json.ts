import { isDeepStrictEqual } from 'node:util';
import { isRecord, readJson } from '../safe-json.ts';
import { jsonIn } from './extract-json.ts';

/** Whether an answer says more than one JSON value, bare or in a fence. */
export function hasWords(text: string): boolean {
  const [, fenced = text] = /^[`~]{3,}\w*\n(.*)\n[`~]{3,}$/s.exec(text.trim()) ?? [];
  return !readJson(fenced.trim()).ok;
}

/** Whether a value stands in a text that the agent was shown: among words such a value may only be spoken of. */
export function isShown(value: unknown, texts: readonly string[]): boolean {
  return texts.some((text) => jsonIn(text).some((shown) => holds(shown, value)));
}

function holds(shown: unknown, value: unknown): boolean {
  if (isDeepStrictEqual(shown, value)) return true;
  const parts = Array.isArray(shown) ? shown : isRecord(shown) ? Object.values(shown) : [];
  return parts.some((part) => holds(part, value));
}
