import { z } from 'zod';

/** Input of every tool that hands out text or lists in parts. */
export const pageInput = {
  offset: z.int().min(0).default(0).describe('Where to go on: `next` of the page before.'),
  limit: z.int().min(200).max(40_000).default(8_000).describe('At most this many characters.'),
};

export const pageOutput = {
  text: z.string(),
  offset: z.int(),
  total: z.int().describe('Characters of the whole text.'),
  next: z.int().optional().describe('Offset of the next page; absent on the last one.'),
};

export type TextPage = { text: string; offset: number; total: number; next?: number };

/** One part of a text. A pair of surrogates is never torn apart, so pages put together are the text again. */
export function pageOf(whole: string, { offset, limit }: { offset: number; limit: number }): TextPage {
  const start = insidePair(whole, offset) ? offset + 1 : Math.min(offset, whole.length);
  const wanted = start + limit;
  const end = insidePair(whole, wanted) ? wanted + 1 : Math.min(wanted, whole.length);
  const page = { text: whole.slice(start, end), offset: start, total: whole.length };
  return end < whole.length ? { ...page, next: end } : page;
}

function insidePair(text: string, at: number): boolean {
  return at > 0 && at < text.length && isBetween(text, at, 0xdc00) && isBetween(text, at - 1, 0xd800);
}

function isBetween(text: string, at: number, first: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= first && unit < first + 0x400;
}
