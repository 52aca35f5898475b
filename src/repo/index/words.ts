/** Words that say nothing about where a change belongs. */
const stopWords = new Set(
  `a about after all also an and any are as at be because been before but by can could do does each either for from get
  had has have here how i if in into is it its itself just like make makes made may me might more most must my no nor not
  of off on one only or other our out over own per shall she should so some such than that the their them then there these
  they this those to too under until up upon us use used uses using very via was we were what when where whether which
  while who why will with within without would you your new add adds added adding let lets want wants wanted need needs
  feature features implement implements support supports supported allow allows allowed please
  const var function return import export default class extends public private static void null undefined true false
  else string number boolean`.split(/\s+/),
);

/** The parts of an identifier or path: `parseHTTPHeader_v2` → parse, http, header, v2. */
export function splitIdentifier(identifier: string): string[] {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}

/** Brings the forms of an English word together; it need not be a word, only the same for all forms. */
export function stem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  const bare = dropSuffix(dropPlural(word));
  const single = /([bdfglmnprt])\1$/.test(bare) ? bare.slice(0, -1) : bare;
  return single.length > 3 && single.endsWith('e') ? single.slice(0, -1) : single;
}

function dropPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

const suffixes: readonly [suffix: string, shortestRest: number][] = [
  ['ation', 4],
  ['ated', 4],
  ['ating', 4],
  ['ator', 4],
  ['ate', 4],
  ['ing', 3],
  ['ed', 3],
  ['ment', 4],
];

function dropSuffix(word: string): string {
  for (const [suffix, shortestRest] of suffixes) {
    if (word.endsWith(suffix) && word.length - suffix.length >= shortestRest)
      return word.slice(0, -suffix.length);
  }
  return word;
}

const cacheLimit = 200_000;
const cache = new Map<string, readonly string[]>();

/** The index terms of one identifier: the stems of its parts, and the whole when it has several. */
export function termsOf(identifier: string): readonly string[] {
  const known = cache.get(identifier);
  if (known !== undefined) return known;
  const parts = splitIdentifier(identifier);
  const terms = parts.filter((part) => part.length > 1 && !stopWords.has(part)).map(stem);
  if (parts.length > 1 && parts.length <= 5) terms.push(parts.join(''));
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(identifier, terms);
  return terms;
}

/** How often each term is in a text. Long runs without a break (data, keys) are not words. */
export function countTerms(text: string, counts = new Map<string, number>()): Map<string, number> {
  const identifiers = new Map<string, number>();
  for (const [identifier] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{0,60}(?![\p{L}\p{N}_$])/gu)) {
    identifiers.set(identifier, (identifiers.get(identifier) ?? 0) + 1);
  }
  for (const [identifier, count] of identifiers) {
    for (const term of termsOf(identifier)) counts.set(term, (counts.get(term) ?? 0) + count);
  }
  return counts;
}

/** The terms of a path; its last part counts once more than its folders. */
export function pathTerms(path: string): Map<string, number> {
  const base = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  return countTerms(
    base,
    countTerms(
      path
        .replace(/\.[^./]*$/, '')
        .replaceAll('/', ' ')
        .replaceAll('-', ' '),
    ),
  );
}

type Concept = { said: readonly string[]; means: readonly string[] };

/**
 * Words people use for a part of a program, and words the code uses for it. A description that says the first is also
 * searched for the second, at a lower weight (`conceptWeight`).
 */
export const concepts: readonly Concept[] = [
  {
    said: ['api', 'endpoint', 'endpoints', 'rest'],
    means: ['router', 'route', 'handler', 'handle', 'http', 'server', 'request', 'controller'],
  },
  {
    said: ['limiting', 'limiter', 'throttle', 'throttling', 'quota'],
    means: ['middleware', 'handler', 'handle', 'request', 'server', 'http', 'config'],
  },
  {
    said: [
      'login',
      'logout',
      'signin',
      'signout',
      'authentication',
      'auth',
      'authorization',
      'permission',
      'role',
    ],
    means: ['auth', 'token', 'session', 'authenticate', 'password', 'user', 'middleware'],
  },
  {
    said: ['cancel', 'cancellation', 'refund', 'return', 'abort'],
    means: ['status', 'state', 'refund', 'cancel'],
  },
  { said: ['checkout', 'purchase', 'buy'], means: ['order', 'cart', 'payment', 'charge'] },
  { said: ['payment', 'pay', 'billing', 'invoice'], means: ['payment', 'charge', 'gateway', 'order'] },
  {
    said: ['discount', 'coupon', 'voucher', 'promotion', 'tax', 'vat', 'currency'],
    means: ['price', 'cart', 'total', 'amount'],
  },
  {
    said: ['inventory', 'stock', 'availability', 'warehouse'],
    means: ['stock', 'product', 'catalogue', 'catalog'],
  },
  {
    said: ['database', 'persist', 'persistence', 'postgres', 'sqlite', 'sql', 'transaction'],
    means: ['store', 'storage', 'repository', 'model', 'database', 'db'],
  },
  { said: ['cache', 'caching', 'memoize'], means: ['cache', 'store', 'ttl'] },
  {
    said: ['logging', 'log', 'metrics', 'observability', 'tracing', 'telemetry', 'monitoring'],
    means: ['logger', 'log', 'handle', 'request', 'metric'],
  },
  {
    said: ['configuration', 'setting', 'settings', 'option', 'flag', 'environment'],
    means: ['config', 'configuration', 'env', 'option', 'settings'],
  },
  {
    said: ['pagination', 'paginate', 'paging', 'page', 'cursor'],
    means: ['list', 'search', 'query', 'route', 'limit'],
  },
  { said: ['search', 'filter', 'sort', 'find'], means: ['search', 'query', 'list', 'filter', 'catalogue'] },
  {
    said: ['validation', 'validate', 'sanitize', 'input'],
    means: ['body', 'field', 'schema', 'parse', 'request'],
  },
  { said: ['error', 'exception', 'failure'], means: ['error', 'response', 'handle'] },
  {
    said: ['email', 'mail', 'notification', 'notify', 'webhook', 'sms'],
    means: ['notify', 'mail', 'customer', 'user', 'event'],
  },
  {
    said: ['retry', 'timeout', 'idempotent', 'idempotency', 'resilience'],
    means: ['gateway', 'client', 'request', 'charge', 'fetch'],
  },
  {
    said: ['ui', 'frontend', 'button', 'screen', 'theme', 'dark'],
    means: ['component', 'view', 'page', 'style', 'css'],
  },
  {
    said: ['cli', 'command', 'terminal', 'argument'],
    means: ['command', 'cli', 'program', 'argv', 'option'],
  },
  {
    said: ['cors', 'csrf', 'header', 'headers', 'compression', 'gzip'],
    means: ['header', 'response', 'server', 'middleware', 'http'],
  },
  {
    said: ['health', 'healthcheck', 'readiness', 'shutdown', 'graceful'],
    means: ['server', 'listen', 'main', 'app', 'close'],
  },
];

const meanings = new Map<string, Set<string>>();
for (const { said, means } of concepts) {
  for (const word of said) {
    const known = meanings.get(stem(word)) ?? new Set<string>();
    for (const meaning of means) known.add(stem(meaning));
    meanings.set(stem(word), known);
  }
}

/** The related terms of a term of a description. */
export const meantBy = (term: string): ReadonlySet<string> => meanings.get(term) ?? new Set();

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
