import type { QueryTerm } from './bm25.ts';
import { meantBy } from './concepts.ts';
import type { FileKind } from './file-kinds.ts';
import type { Vocabulary } from './term-vector.ts';
import { countTerms } from './words.ts';

/** A description of a change, made ready for search. */
export type SearchQuery = {
  terms: QueryTerm[];
  /** The terms as words, for people. */
  words: string[];
  /** Kinds of files the description asks for by name. */
  asksFor: ReadonlySet<FileKind>;
  /** Whether the description names this path, or its base name with an ending. */
  mentions(path: string): boolean;
};

const kindWords: readonly { kind: FileKind; pattern: RegExp }[] = [
  {
    kind: 'document',
    pattern: /^\s*(?:docs?|document(?:s|ed|ation)?)\b|\breadme\b|\bchangelog\b|\bdocumentation\b|\btypo\b/i,
  },
  { kind: 'test', pattern: /^\s*tests?\b|\btests?\b|\btesting\b|\bcoverage\b|\bspecs?\b/i },
  {
    kind: 'configuration',
    pattern:
      /^\s*(?:ci|build|chore)\b|\b(?:config(?:uration)?|workflow|github actions?|pipeline|eslint|dependenc(?:y|ies))\b/i,
  },
];

/** The first line counts most; what follows explains and counts less. */
const furtherTextWeight = 0.35;
/** What a subordinate clause adds (`… before it is shipped`) counts less than the main one. */
const clauseWeight = 0.15;
const clauseStart =
  /\s(?:before|after|when|whenever|while|if|unless|until|because|so that|in order to|instead of|without)\s/i;
/** What a word also stands for, relative to the word itself. */
const conceptWeight = 0.3;

export function readQuery(description: string, vocabulary: Vocabulary): SearchQuery {
  const [title = '', ...rest] = description.trim().split('\n');
  const weights = new Map<string, number>();
  const clause = clauseStart.exec(title)?.index ?? title.length;
  for (const [term, count] of countTerms(title.slice(0, clause))) weights.set(term, 1 + Math.log(count));
  for (const term of countTerms(title.slice(clause)).keys()) {
    if (!weights.has(term)) weights.set(term, clauseWeight);
  }
  for (const [term, count] of countTerms(rest.join('\n').slice(0, 4000))) {
    weights.set(term, (weights.get(term) ?? 0) + furtherTextWeight * (1 + Math.log(count)));
  }
  for (const [term, weight] of [...weights]) {
    for (const meant of meantBy(term)) {
      if (!weights.has(meant)) weights.set(meant, weight * conceptWeight);
    }
  }
  const named = new Set(
    [...description.matchAll(/(?<![\w@./-])[\w@./-]*[\w-]\.[A-Za-z]{1,5}\b/g)].map(([name]) =>
      name.replace(/^\.?\//, ''),
    ),
  );
  return {
    terms: [...weights].flatMap(([term, weight]) => {
      const id = vocabulary.lookUp(term);
      return id === undefined ? [] : [{ id, weight }];
    }),
    words: [...weights.keys()],
    asksFor: new Set(kindWords.filter(({ pattern }) => pattern.test(title)).map(({ kind }) => kind)),
    mentions: (path) => named.has(path) || named.has(path.slice(path.lastIndexOf('/') + 1)),
  };
}
