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

/** How often each term occurs: `counts[i]` is the count of `ids[i]`; ids ascend. */
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

/** How much a field counts, and how much its length takes away (0: nothing, 1: fully). */
export type FieldWeight = { weight: number; lengthPenalty: number };

export type QueryTerm = { id: number; weight: number };

const saturation = 1.2;

/** How rare a term is among documents, as BM25 counts it. */
export const rarity = (documents: number, matching: number): number =>
  Math.log(1 + (documents - matching + 0.5) / (matching + 0.5));

/** How much a term adds that occurs this often. */
export const gain = (frequency: number): number => (frequency * (saturation + 1)) / (frequency + saturation);

/**
 * BM25F: scores every document for the query over several fields at once, so that a word in a path and in the text of the
 * same file counts as one piece of evidence, not two. Reads every document once, however many terms the query has.
 */
export function scoreDocuments<Field extends string>(
  documents: readonly Readonly<Record<Field, TermVector>>[],
  fields: Readonly<Partial<Record<Field, FieldWeight>>>,
  query: readonly QueryTerm[],
): Float64Array {
  const weighed = (Object.entries(fields) as [Field, FieldWeight][]).map(([name, field]) => ({
    name,
    ...field,
    average: averageLength(documents, name),
  }));
  const slots = new Int32Array(query.reduce((most, { id }) => Math.max(most, id), -1) + 1).fill(-1);
  for (const [slot, { id }] of query.entries()) slots[id] = slot;
  const matching = new Uint32Array(query.length);
  const hits: { document: number; slot: number; frequency: number }[] = [];
  const frequencies = new Float64Array(query.length);
  for (const [position, document] of documents.entries()) {
    const touched: number[] = [];
    for (const { name, weight, lengthPenalty, average } of weighed) {
      const { ids, counts, length } = document[name];
      const norm = weight / (1 - lengthPenalty + (lengthPenalty * length) / average);
      for (let at = 0; at < ids.length; at += 1) {
        const id = ids[at] ?? 0;
        if (id >= slots.length) break;
        const slot = slots[id] ?? -1;
        if (slot === -1) continue;
        if (frequencies[slot] === 0) touched.push(slot);
        frequencies[slot] = (frequencies[slot] ?? 0) + norm * (counts[at] ?? 0);
      }
    }
    for (const slot of touched) {
      matching[slot] = (matching[slot] ?? 0) + 1;
      hits.push({ document: position, slot, frequency: frequencies[slot] ?? 0 });
      frequencies[slot] = 0;
    }
  }
  const values = query.map(({ weight }, slot) => weight * rarity(documents.length, matching[slot] ?? 0));
  const scores = new Float64Array(documents.length);
  for (const { document, slot, frequency } of hits) {
    scores[document] = (scores[document] ?? 0) + (values[slot] ?? 0) * gain(frequency);
  }
  return scores;
}

function averageLength<Field extends string>(
  documents: readonly Readonly<Record<Field, TermVector>>[],
  name: Field,
): number {
  let total = 0;
  for (const document of documents) total += document[name].length;
  return documents.length === 0 || total === 0 ? 1 : total / documents.length;
}
