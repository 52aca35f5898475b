import { countIn, type TermVector } from './term-vector.ts';

/** How much a field counts, and how much its length takes away (0: nothing, 1: fully). */
export type FieldWeight = { weight: number; lengthPenalty: number };

export type QueryTerm = { id: number; weight: number };

const saturation = 1.2;

/**
 * BM25F: scores every document for the query over several fields at once, so that a word in a path and in the text of the
 * same file counts as one piece of evidence, not two.
 */
export function scoreDocuments<Field extends string>(
  documents: readonly Readonly<Record<Field, TermVector>>[],
  fields: Readonly<Record<Field, FieldWeight>>,
  query: readonly QueryTerm[],
): Float64Array {
  const names = Object.keys(fields) as Field[];
  const scores = new Float64Array(documents.length);
  const averages = new Map(names.map((name) => [name, averageLength(documents, name)]));
  const frequencies = new Float64Array(documents.length);
  for (const { id, weight } of query) {
    let matching = 0;
    for (const [position, document] of documents.entries()) {
      let frequency = 0;
      for (const name of names) {
        const count = countIn(document[name], id);
        if (count === 0) continue;
        const { weight: fieldWeight, lengthPenalty } = fields[name];
        const relative = document[name].length / (averages.get(name) ?? 1);
        frequency += (fieldWeight * count) / (1 - lengthPenalty + lengthPenalty * relative);
      }
      frequencies[position] = frequency;
      if (frequency > 0) matching += 1;
    }
    if (matching === 0) continue;
    const rarity = Math.log(1 + (documents.length - matching + 0.5) / (matching + 0.5));
    for (const [position, frequency] of frequencies.entries()) {
      if (frequency === 0) continue;
      const gain = (frequency * (saturation + 1)) / (frequency + saturation);
      scores[position] = (scores[position] ?? 0) + weight * rarity * gain;
    }
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
