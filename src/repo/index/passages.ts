import type { RepositoryIndex } from './repository-index.ts';
import { phraseWords, type SearchQuery } from './search-query.ts';
import { linesOf } from './snapshot.ts';
import { gain, rarity, termsOf } from './words.ts';

/** What a closer reading of a file's text finds. */
export type Reading = {
  /** The score of the best passage, and of the four after it together. */
  best: number;
  further: number;
  /** The best passage for the first line of the description alone. */
  title: number;
  /** The line in the best passage that says most, from 1. */
  line: number;
  /** Phrases of the description that the text repeats. */
  phrases: readonly string[];
};

/** A passage is two blocks of this many lines; the next one begins a block later. */
const blockLines = 20;
const usualTerms = 120;
const longestText = 200_000;

type Weight = { weight: number; title: number };

/** Reads files for one query: where their best passages are, and how much of the description's wording they repeat. */
export function passageReader(index: RepositoryIndex, query: SearchQuery): (path: string) => Reading {
  const weights = termWeights(index, query);
  return (path) => {
    const text = index.byPath.get(path)?.file.text.slice(0, longestText) ?? '';
    const lines = linesOf(text);
    const blocks = blocksOf(lines, weights);
    const passages = blocks.map((block, at) => scorePassage(block, blocks[at + 1], weights));
    const order = passages.map(({ score }, at) => ({ score, at })).sort((a, b) => b.score - a.score);
    const [first] = order;
    return {
      best: first?.score ?? 0,
      // Every other passage overlaps its neighbour, so only half of their sum is new.
      further: order.slice(1, 5).reduce((sum, { score }) => sum + score, 0),
      title: passages.reduce((most, { title }) => Math.max(most, title), 0),
      line: first === undefined ? 1 : tellingLine(lines, first.at * blockLines, weights),
      phrases: repeatedPhrases(text, query.phrases),
    };
  };
}

function termWeights(index: RepositoryIndex, query: SearchQuery): ReadonlyMap<string, Weight> {
  const ids = new Map(query.terms.map(({ id, weight }) => [id, weight]));
  const titles = new Set(query.title.map(({ id }) => id));
  const matching = new Map<number, number>();
  for (const { body } of index.files) {
    for (const id of body.ids) if (ids.has(id)) matching.set(id, (matching.get(id) ?? 0) + 1);
  }
  return new Map(
    query.words.flatMap((term) => {
      const id = index.vocabulary.lookUp(term);
      const weight = id === undefined ? undefined : ids.get(id);
      if (id === undefined || weight === undefined) return [];
      const rare = rarity(index.files.length, matching.get(id) ?? 0);
      return [[term, { weight: weight * rare, title: titles.has(id) ? rare : 0 }] as const];
    }),
  );
}

type Block = { counts: Map<string, number>; length: number };

const identifierRule = /[\p{L}_$][\p{L}\p{N}_$]{0,60}/gu;

function blocksOf(lines: readonly string[], weights: ReadonlyMap<string, Weight>): Block[] {
  const blocks: Block[] = [];
  for (let from = 0; from < lines.length; from += blockLines) {
    const block: Block = { counts: new Map(), length: 0 };
    for (const [identifier] of lines
      .slice(from, from + blockLines)
      .join('\n')
      .matchAll(identifierRule)) {
      for (const term of termsOf(identifier)) {
        block.length += 1;
        if (weights.has(term)) block.counts.set(term, (block.counts.get(term) ?? 0) + 1);
      }
    }
    blocks.push(block);
  }
  return blocks;
}

function scorePassage(block: Block, next: Block | undefined, weights: ReadonlyMap<string, Weight>) {
  const norm = 0.4 + (0.6 * (block.length + (next?.length ?? 0))) / usualTerms;
  let [score, title] = [0, 0];
  for (const term of new Set([...block.counts.keys(), ...(next?.counts.keys() ?? [])])) {
    const own = weights.get(term);
    if (own === undefined) continue;
    const value = gain(((block.counts.get(term) ?? 0) + (next?.counts.get(term) ?? 0)) / norm);
    score += own.weight * value;
    title += own.title * value;
  }
  return { score, title };
}

function tellingLine(lines: readonly string[], from: number, weights: ReadonlyMap<string, Weight>): number {
  let [best, found] = [0, from];
  for (let at = from; at < Math.min(lines.length, from + 2 * blockLines); at += 1) {
    const terms = new Set((lines[at]?.match(identifierRule) ?? []).flatMap((word) => termsOf(word)));
    let score = 0;
    for (const term of terms) score += weights.get(term)?.weight ?? 0;
    if (score > best) [best, found] = [score, at];
  }
  return found + 1;
}

function repeatedPhrases(text: string, phrases: ReadonlyMap<string, number>): string[] {
  if (phrases.size === 0) return [];
  const words = phraseWords(text);
  const found = new Set<string>();
  for (let at = 0; at + 2 < words.length; at += 1) {
    const phrase = `${words[at]} ${words[at + 1]} ${words[at + 2]}`;
    if (phrases.has(phrase)) found.add(phrase);
  }
  return [...found];
}
