import type { FileKind } from './snapshot.ts';
import { countTerms, meantBy, type QueryTerm, termsOf, type Vocabulary } from './words.ts';

/** A description of a change, made ready for search. */
export type SearchQuery = {
  /** The terms of the first line. */
  title: QueryTerm[];
  /** The terms of the sentences after it; quoted code is left out. */
  details: QueryTerm[];
  /** All, for what is searched once: the first line counts most, quoted code least. */
  terms: QueryTerm[];
  /** Names of code that the description uses: `useState`, `parse_date`, `render()`. */
  identifiers: QueryTerm[];
  /** The terms as words, for people. */
  words: string[];
  /** Runs of three words, also of quoted code and messages, and how much each counts. */
  phrases: ReadonlyMap<string, number>;
  /** Kinds of files the description asks for by name. */
  asksFor: ReadonlySet<FileKind>;
  /**
   * How surely the description names this path, 0 to 1: in full, by its end, by its base name, or as a module with dots. Twice
   * as much when the first line does.
   */
  mentions(path: string): number;
};

const kindWords: readonly { kind: FileKind; pattern: RegExp }[] = [
  {
    kind: 'document',
    pattern: /^\s*(?:docs?|document(?:s|ed|ation)?)\b|\breadme\b|\bchangelog\b|\bdocumentation\b|\btypo\b/i,
  },
  {
    kind: 'test',
    pattern:
      /^\s*tests?\b|\b(?:add|write|fix|update|improve|extend|missing|more|flaky|failing|unit|regression)\s+(?:\w+\s+){0,2}(?:tests?|specs?)\b|\b(?:tests?|specs?) for\b|\bcoverage\b/i,
  },
  {
    kind: 'configuration',
    pattern:
      /^\s*(?:ci|build|chore)\b|\b(?:config(?:uration)?|workflow|github actions?|pipeline|eslint|dependenc(?:y|ies))\b/i,
  },
];

/** What follows the first line explains and counts less. */
const detailsWeight = 0.5;
/** Quoted code is mostly the reporter's code. */
const codeWeight = 0.3;
/** What a subordinate clause adds (`… before it is shipped`) counts less than the main one. */
const clauseWeight = 0.15;
const clauseStart =
  /\s(?:before|after|when|whenever|while|if|unless|until|because|so that|in order to|instead of|without)\s/i;
/** The weight of related words, relative to the word itself; only short requests use them. */
const conceptWeight = 0.3;
const shortRequest = 200;
const longestText = 20_000;

export function readQuery(description: string, vocabulary: Vocabulary): SearchQuery {
  const { title, prose, code, text, linked } = splitDescription(description);
  const [inTitle, inText] = [
    mentionsIn(title, []),
    mentionsIn(`${text}\n${description.slice(longestText)}`, linked),
  ];
  const titleWeights = weighTitle(title);
  if (description.trim().length <= shortRequest) addConcepts(titleWeights);
  const proseWeights = weigh(prose);
  const weights = new Map(titleWeights);
  const codeWeights = weigh(code);
  for (const [further, factor] of [
    [proseWeights, detailsWeight],
    [codeWeights, codeWeight],
  ] as const) {
    for (const [term, weight] of further) weights.set(term, (weights.get(term) ?? 0) + factor * weight);
  }
  const toTerms = (from: ReadonlyMap<string, number>): QueryTerm[] =>
    [...from].flatMap(([term, weight]) => {
      const id = vocabulary.lookUp(term);
      return id === undefined ? [] : [{ id, weight }];
    });
  return {
    title: toTerms(titleWeights),
    details: toTerms(proseWeights),
    terms: toTerms(weights),
    identifiers: toTerms(
      identifiersIn([
        [code, 0.5],
        [prose, 1],
        [title, 2],
      ]),
    ),
    words: [...weights.keys()],
    phrases: phrasesOf([
      [title, 1.5],
      [prose, 1],
      [code, 0.5],
    ]),
    asksFor: new Set(kindWords.filter(({ pattern }) => pattern.test(title)).map(({ kind }) => kind)),
    mentions: (path) => Math.max(2 * inTitle(path), inText(path)),
  };
}

const weigh = (text: string): Map<string, number> =>
  new Map([...countTerms(text)].map(([term, count]) => [term, 1 + Math.log(count)]));

function weighTitle(title: string): Map<string, number> {
  const clause = clauseStart.exec(title)?.index ?? title.length;
  const weights = new Map<string, number>();
  for (const [term, count] of countTerms(title.slice(0, clause))) weights.set(term, 1 + Math.log(count));
  for (const term of countTerms(title.slice(clause)).keys()) {
    if (!weights.has(term)) weights.set(term, clauseWeight);
  }
  return weights;
}

function addConcepts(weights: Map<string, number>): void {
  for (const [term, weight] of [...weights]) {
    for (const meant of meantBy(term)) {
      if (!weights.has(meant)) weights.set(meant, weight * conceptWeight);
    }
  }
}

type Description = { title: string; prose: string; code: string; text: string; linked: string[] };

const codeLine =
  /^(?:\t| {4})\S|[;{}]\s*$|^\s*\w+(?:\.\w+)*\s*=\s*\S|^\s*[\w.]+\(.*\)\s*$|^\s*(?:from|import|>>>|\.\.\.|File ")|^\s*at .*:\d+|^\s*(?:class|def|const|let|var|function|return|@\w)\b.*[(){}=:;]/;
/** Headings and questions of issue forms: they are in every issue and say nothing about this one. */
const formLine =
  /^\s*[-*] \[.?\].*$|^(?:#+ .*|\*\*[^*]+\*\*:?\s*)(?:reproduc|expected|actual|describe|steps|version|environment|system info|bug|what|happen).*$|^(?:#+ |\*\*).*\b(?:reproduction|reproduce|behaviou?r|environment|version|bug|happens?)\b.*$/gim;
const repositoryLink =
  /https?:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+\/(?:-\/)?(?:blob|tree)\/[^\s/]+\/((?:[\w.-]+\/){0,20}[\w.-]+\.\w{1,5})\S*/g;

/** Takes a description apart; comments of forms, addresses and pictures are not searched. */
function splitDescription(description: string): Description {
  const linked: string[] = [];
  const text = description
    .slice(0, longestText)
    .replaceAll('\r', '')
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(repositoryLink, (_, path: string) => {
      linked.push(path);
      return ' ';
    })
    .replace(/https?:\/\/[^\s)>\]]+/g, ' ')
    .replace(formLine, '')
    .trim();
  const [title = '', ...rest] = text.split('\n');
  const prose: string[] = [];
  const code: string[] = [];
  let fenced = false;
  for (const line of rest) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    else (fenced || codeLine.test(line) ? code : prose).push(line);
  }
  return { title, prose: prose.join('\n'), code: code.join('\n'), text, linked };
}

/** Whole names, as the index knows them: those of several parts, those that are called and those in quotes. */
function identifiersIn(parts: readonly (readonly [text: string, weight: number])[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const [text, weight] of parts) {
    for (const match of text.matchAll(/([`'"]?)([A-Za-z_$][\w$]{2,60})(\(?)/g)) {
      const [, quote = '', name = '', call = ''] = match;
      const terms = termsOf(name);
      const whole = terms.at(-1);
      if (whole === undefined || (terms.length === 1 && quote === '' && call === '')) continue;
      found.set(whole, Math.max(found.get(whole) ?? 0, weight));
    }
  }
  return found;
}

const wordRule = /[A-Za-z_][A-Za-z0-9_]*/g;

/** The words of a line as phrases see them. */
export const phraseWords = (line: string): string[] =>
  (line.match(wordRule) ?? []).map((word) => word.toLowerCase());

function phrasesOf(parts: readonly (readonly [text: string, weight: number])[]): Map<string, number> {
  const phrases = new Map<string, number>();
  for (const [text, weight] of parts) {
    for (const line of text.split('\n')) {
      const words = phraseWords(line);
      for (let at = 0; at + 2 < words.length; at += 1) {
        const phrase = words.slice(at, at + 3).join(' ');
        phrases.set(phrase, Math.max(phrases.get(phrase) ?? 0, weight));
      }
    }
  }
  return phrases;
}

function mentionsIn(text: string, linked: readonly string[]): (path: string) => number {
  const written = [...text.matchAll(/(?<![\w@./-])[\w@./-]*[\w-]\.[A-Za-z]{1,5}\b/g)].map(([name]) => name);
  const names = new Set(
    [...linked, ...written].map((name) =>
      name.replace(/^.*(?:site|dist)-packages\//, '').replace(/^\.?\//, ''),
    ),
  );
  const long = [...names].filter((name) => name.includes('/'));
  const modules = modulesIn(text);
  return (path) => {
    if (names.has(path)) return 1;
    if (long.some((name) => path.endsWith(`/${name}`) || name.endsWith(`/${path}`))) return 0.9;
    return Math.max(
      names.has(path.slice(path.lastIndexOf('/') + 1)) ? 0.5 : 0,
      moduleMention(path, modules) * moduleWeight,
    );
  };
}

const moduleWeight = 0.4;

/** Every beginning of the names with dots, as paths: `django.utils.text.slugify` also names `django/utils/text`. */
function modulesIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [name] of text.matchAll(/(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,12}/g)) {
    const parts = name.split('.');
    for (let count = parts.length; count >= 2; count -= 1) found.add(parts.slice(0, count).join('/'));
  }
  return found;
}

function moduleMention(path: string, modules: ReadonlySet<string>): number {
  const parts = path
    .replace(/(?:\/__init__|\/index)?(?:\.\w+)+$/, '')
    .replace(/^(?:src|lib)\//, '')
    .split('/');
  if (parts.length > 1 && modules.has(parts.join('/'))) return 1;
  for (let count = parts.length - 1; count >= 2; count -= 1) {
    if (modules.has(parts.slice(-count).join('/'))) return count / (count + 1);
  }
  return 0;
}
