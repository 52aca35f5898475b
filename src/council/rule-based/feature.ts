import { tidyLine } from '../../base/schema/primitives.ts';
import { splitIdentifier, termsOf } from '../../repo/index/words.ts';

/** What kind of change a description asks for, judged by its first words. */
export type Intent = 'addition' | 'ability' | 'repair' | 'restructuring' | 'change';

export type Feature = {
  /** The whole description. */
  text: string;
  /** Its first sentence, without a final stop. */
  title: string;
  intent: Intent;
  verb: string;
  /** The request without its introduction: `cancel an order`, `rate limiting`. */
  phrase: string;
  /** The words of the thing the verb is about, articles left out. */
  subject: string[];
  /** A name for what is new: `cancel-order`, `rate-limiting`. */
  kebab: string;
  camel: string;
};

const forms: readonly { intent: Intent; pattern: RegExp }[] = [
  {
    intent: 'ability',
    pattern:
      /^(?:let|allow|enable)\s+(?:the\s+|our\s+)?[\w-]+\s+(?:to\s+)?(?<verb>[\w-]+)\s+(?<subject>.+)$/i,
  },
  {
    intent: 'ability',
    pattern:
      /^(?:as an? [^,]+,\s*)?(?:i|we|users?|customers?|people)\s+(?:want to|should be able to|can|could)\s+(?<verb>[\w-]+)\s+(?<subject>.+)$/i,
  },
  {
    intent: 'addition',
    pattern:
      /^(?<verb>add|introduce|create|implement|provide|build|support|offer|expose)\s+(?:support for\s+)?(?<subject>.+)$/i,
  },
  {
    intent: 'repair',
    pattern: /^(?<verb>fix|correct|repair|prevent|avoid|stop|handle|resolve)\s+(?<subject>.+)$/i,
  },
  {
    intent: 'restructuring',
    pattern:
      /^(?<verb>rename|move|extract|split|refactor|replace|migrate|remove|delete|drop|simplify|clean)\s+(?<subject>.+)$/i,
  },
  { intent: 'change', pattern: /^(?<verb>[\w-]+)\s+(?<subject>.+)$/i },
];

/** `fix(client): …`: what the word before the colon says about the intent. */
const prefixed = /^(?<type>[a-z]{2,12})(?:\([^)]{1,40}\))?!?:\s+(?<rest>\S.*)$/i;
const intents: Readonly<Record<string, Intent>> = {
  feat: 'addition',
  feature: 'addition',
  fix: 'repair',
  perf: 'repair',
  docs: 'repair',
  test: 'repair',
  tests: 'repair',
  refactor: 'restructuring',
};

const subjectEnd =
  /\s(?:to|for|in|on|into|with|without|by|per|when|if|while|so|that|which|from|between|before|after|of)\s|[,.;:()]/i;
const articles = /^(?:an?|the|all|any|every|each|some|their|our|its|my|your|new|more|and|or)$/i;
const nameWords = 3;
const longestTitle = 300;

/** Takes a description apart by its sentence form; anything can be read, at worst as a plain change. */
export function readFeature(text: string): Feature {
  const sentence =
    text
      .trim()
      .replace(/^#{1,6}\s+/, '')
      .split(/\n|(?<=[a-z)])\.\s/, 1)[0] ?? '';
  const title =
    tidyLine(sentence)
      .slice(0, longestTitle)
      .replace(/[.!\s]+$/, '') || 'the change';
  const { type = '', rest = title } = prefixed.exec(title)?.groups ?? {};
  const told = Object.hasOwn(intents, type.toLowerCase()) ? intents[type.toLowerCase()] : undefined;
  for (const form of forms) {
    const groups = form.pattern.exec(rest.replace(/^please\s+/i, ''))?.groups;
    const intent = told ?? form.intent;
    if (groups === undefined) continue;
    const verb = (groups.verb ?? '').toLowerCase();
    const raw = ((groups.subject ?? '').split(subjectEnd, 1)[0] ?? '').trim();
    const subject = wordsOf(raw);
    const phrase = form.intent === 'addition' ? raw : intent === 'ability' ? `${verb} ${raw}` : rest;
    if (subject.length > 0) return named({ text, title, intent, verb, phrase, subject });
  }
  return named({ text, title, intent: 'change', verb: 'change', phrase: rest, subject: wordsOf(rest) });
}

const wordsOf = (phrase: string): string[] =>
  splitIdentifier(phrase).filter((word) => !articles.test(word) && /^[\p{L}\p{N}]+$/u.test(word));

function named(feature: Omit<Feature, 'kebab' | 'camel'>): Feature {
  const own = feature.subject.slice(0, nameWords);
  const words =
    feature.intent === 'ability' || feature.intent === 'repair' ? [feature.verb, ...own.slice(0, 2)] : own;
  const ascii = words
    .map((word) =>
      word
        .normalize('NFKD')
        .replace(/[^a-z0-9]/gi, '')
        .toLowerCase(),
    )
    .filter(Boolean);
  const parts = ascii.length === 0 ? ['change'] : ascii;
  return {
    ...feature,
    kebab: parts.join('-'),
    camel: parts.map((part, at) => (at === 0 ? part : part.charAt(0).toUpperCase() + part.slice(1))).join(''),
  };
}

/** Whether something that exists is put right or put elsewhere, rather than something added. */
export const changesExisting = ({ intent }: Feature): boolean =>
  intent === 'repair' || intent === 'restructuring';

/** The search terms of the thing itself; a repair is about everything its title names. */
export const subjectTerms = (feature: Feature): Set<string> => {
  const words = changesExisting(feature)
    ? splitIdentifier(feature.title)
    : [...feature.subject, feature.verb];
  return new Set(words.flatMap((word) => [...termsOf(word)]));
};
