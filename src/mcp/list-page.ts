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

export function listPage<Item>(items: readonly Item[], { offset, limit }: { offset: number; limit: number }) {
  const next = offset + limit;
  return { items: items.slice(offset, next), total: items.length, ...(next < items.length && { next }) };
}
