/** Terms as small numbers, so that thousands of files fit in little memory. */
export type Vocabulary = { idOf(term: string): number; lookUp(term: string): number | undefined };

export function createVocabulary(): Vocabulary {
  const ids = new Map<string, number>();
  return {
    idOf(term) {
      const known = ids.get(term);
      if (known !== undefined) return known;
      ids.set(term, ids.size);
      return ids.size - 1;
    },
    lookUp: (term) => ids.get(term),
  };
}

/** How often each term occurs: ids ascending, counts beside them. */
export type TermVector = { ids: Uint32Array; counts: Uint16Array; length: number };

export function vectorOf(counts: ReadonlyMap<string, number>, vocabulary: Vocabulary): TermVector {
  const pairs = [...counts].map(([term, count]) => [vocabulary.idOf(term), count] as const);
  pairs.sort(([a], [b]) => a - b);
  const vector = { ids: new Uint32Array(pairs.length), counts: new Uint16Array(pairs.length), length: 0 };
  for (const [position, [id, count]] of pairs.entries()) {
    vector.ids[position] = id;
    vector.counts[position] = Math.min(count, 65_535);
    vector.length += count;
  }
  return vector;
}

/** How often the term is in the vector; 0 when it is not. */
export function countIn(vector: TermVector, id: number): number {
  let [low, high] = [0, vector.ids.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = vector.ids[middle] ?? 0;
    if (found === id) return vector.counts[middle] ?? 0;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}
