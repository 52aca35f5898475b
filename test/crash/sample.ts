import { createHash } from 'node:crypto';

/** So many of the writes of a run; the seed says which. */
export type Sample = { count: number; seed: number };

/**
 * Says of things that come one after another, nobody knows how many, in which of so many places each is kept, if at all: in the end
 * each of them is as likely to be there as any other (algorithm R).
 */
export function reservoir({ count, seed }: Sample): () => number | undefined {
  let seen = 0;
  return () => {
    seen += 1;
    const place = seen <= count ? seen - 1 : Math.floor(chance(`${seed} ${seen}`) * seen);
    return place < count ? place : undefined;
  };
}

/** From 0 to below 1, the same for the same name. */
function chance(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
}
