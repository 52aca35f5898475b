import { countTerms } from '../../repo/index/words.ts';

/** Share of terms two texts have in common, 0 to 1. */
export function similarity(a: string, b: string): number {
  const [left, right] = [new Set(countTerms(a).keys()), new Set(countTerms(b).keys())];
  if (left.size === 0 || right.size === 0) return a.trim() === b.trim() ? 1 : 0;
  const shared = [...left].filter((term) => right.has(term)).length;
  return shared / (left.size + right.size - shared);
}

/** Groups items whose texts are at least this similar to the first of a group; the order is kept, nothing is lost. */
export function groupSimilar<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  threshold: number,
  fits: (first: Item, item: Item) => boolean = () => true,
): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const group = groups.find(
      ([first]) =>
        first !== undefined && fits(first, item) && similarity(textOf(first), textOf(item)) >= threshold,
    );
    if (group === undefined) groups.push([item]);
    else group.push(item);
  }
  return groups;
}
