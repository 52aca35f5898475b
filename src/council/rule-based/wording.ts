import type { TestNeighbour } from '../../repo/index/import-graph.ts';
import type { Declaration } from '../../repo/index/parse-script.ts';
import type { Study, Target } from './study.ts';

/** Heads everything that the scout writes. */
export const ruleBasedMark = 'no model, rule-based';

export const headed = (text: string): string => `[${ruleBasedMark}] ${text}`;

/** The two quickest ways to an agent with a model. */
export const addAnAgent =
  'No model was used. For a designed and reviewed plan, add an agent: `npm install -g @anthropic-ai/claude-code`, then log in with `claude`; or `npm install -g @openai/codex`, then log in with `codex login`. Then run the same command again.';

/** `place (src/orders/order-service.ts:28)` */
const cited = (path: string, declaration: Declaration): string =>
  `\`${nameOf(declaration)}\` (${path}:${declaration.line})`;

export const nameOf = ({ owner, name }: Declaration): string =>
  owner === undefined ? name : `${owner}.${name}`;

/** Where to look in a target: its declarations that fit, or its best line. */
export function placesOf({ path, anchors, line }: Target, count = 2): string {
  return anchors.length === 0
    ? `${path}:${line}`
    : joined(anchors.slice(0, count).map((anchor) => cited(path, anchor)));
}

export function joined(parts: readonly string[]): string {
  const unique = [...new Set(parts)];
  if (unique.length <= 1) return unique[0] ?? '';
  return `${unique.slice(0, -1).join(', ')} and ${unique.at(-1) ?? ''}`;
}

/** `3 files`, `1 file` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Why the search proposes a file: its two strongest reasons. */
export function reasonsOf({ signals }: Pick<Target, 'signals'>): string {
  const scores = new Map<string, number>();
  for (const signal of signals) {
    const reason = reasonOf(signal);
    scores.set(reason, (scores.get(reason) ?? 0) + signal.score);
  }
  const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, 2);
  return best.map(([reason]) => reason).join('; ') || 'it is next to the files that change';
}

function reasonOf(signal: Target['signals'][number]): string {
  switch (signal.signal) {
    case 'title':
    case 'details':
      return 'its text matches the request';
    case 'name':
      return 'its path matches the request';
    case 'declared':
    case 'declares':
      return 'it declares what the request names';
    case 'passage':
    case 'further passages':
    case 'title passage':
      return 'parts of it read like the request';
    case 'phrases':
      return 'it repeats phrases of the request';
    case 'named':
      return 'the request names it';
    case 'history':
    case 'title history':
      return `similar commits changed it (${signal.commits[0]?.slice(0, 10) ?? ''})`;
    case 'often changed':
      return 'it changes often';
    case 'changed with test':
    case 'tested':
      return `the test ${signal.of} fits the request`;
    default:
      return `${signal.signal} ${signal.of}`;
  }
}

const relations: Readonly<Record<TestNeighbour['why'], (subject: string) => string>> = {
  'carries its name': (subject) => `has the name of ${subject}`,
  'imports it': (subject) => `imports ${subject}`,
  'imports an importer': (subject) => `reaches ${subject}`,
  'matches the words': () => 'matches the words of the request',
};

/** How a test relates to the file it was found for. */
export const relationOf = ({ why, of }: Study['tests'][number]): string => relations[why](of);
