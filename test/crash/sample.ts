import { createHash } from 'node:crypto';

/** So many of the writes of a run; the seed says which. */
export type Sample = { count: number; seed: number };

/**
 * Reservoir sampling (algorithm R): returns in which of `count` places each item of a stream is kept, if at all. In the end every
 * item is kept with the same probability.
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
