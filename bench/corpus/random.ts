/** A small seeded generator, so that a corpus is the same on every machine (mulberry32). */
export type Random = {
  next(): number;
  whole(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** Around a median, with the long tail that sizes of documents have. */
  size(median: number, spread: number): number;
};

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    whole,
    pick: (items) => {
      const item = items[whole(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    size: (median, spread) => Math.round(median * Math.exp(spread * normal())),
  };
}
