import { z } from 'zod';

/** Input and output of tools that hand out a list in parts. */
export const listInput = {
  offset: z.int().nonnegative().default(0).describe('Where to go on: `next` of the page before.'),
  limit: z.int().min(1).max(200).default(50),
};
export const listOutput = {
  total: z.int(),
  next: z.int().optional().describe('Offset of the next page; absent on the last one.'),
};

type Page = { offset: number; limit: number };

export function listPage<Item>(items: readonly Item[], page: Page) {
  const { offset, limit } = page;
  return { items: items.slice(offset, offset + limit), total: items.length, ...nextOf(page, items.length) };
}

/** Where the page after this one begins, if there is one. */
export function nextOf({ offset, limit }: Page, total: number): { next?: number } {
  return offset + limit < total ? { next: offset + limit } : {};
}
