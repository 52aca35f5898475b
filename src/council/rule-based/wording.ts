import type { Declaration } from '../../repo/index/declarations.ts';
import { firstFilledLine } from '../../repo/index/snapshot.ts';
import type { TestNeighbour } from '../../repo/index/test-neighbours.ts';
import type { Study, Target } from './study.ts';

/** Stands at the head of everything the static agent writes. */
export const ruleBasedMark = 'no model, rule-based';

export const headed = (text: string): string => `[${ruleBasedMark}] ${text}`;

/** `place (src/orders/order-service.ts:28)` */
export const cited = (path: string, declaration: Declaration): string =>
  `\`${nameOf(declaration)}\` (${path}:${declaration.line})`;

export const nameOf = ({ owner, name }: Declaration): string =>
  owner === undefined ? name : `${owner}.${name}`;

/** `path:line` of the first line of a file that says something. */
export const opening = ({ index }: Pick<Study, 'index'>, path: string): string =>
  `${path}:${firstFilledLine(index.byPath.get(path)?.file.text ?? '')}`;

/** Where to look in a target: its anchors, or its first line. */
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

/** What is asked, in the words of whoever asked. */
export const aim = ({ feature }: Study): string => `"${feature.phrase}"`;

/** Why the search proposes a file, in words. */
export function reasonsOf({ signals }: Target): string {
  if (signals.length === 0) return 'it stands next to the files that change';
  const telling = [...signals].sort((a, b) => b.score - a.score).slice(0, 2);
  return telling
    .map((signal) => {
      switch (signal.signal) {
        case 'title':
        case 'details':
        case 'name':
        case 'declared':
        case 'declares':
        case 'passage':
        case 'further passages':
        case 'title passage':
        case 'phrases':
          return 'its names and text match the description';
        case 'named':
          return 'the description names it';
        case 'history':
        case 'title history':
          return `similar commits touched it (${signal.commits[0]?.slice(0, 10) ?? ''})`;
        case 'often changed':
          return 'it changes often';
        default:
          return `${signal.signal} ${signal.of}`;
      }
    })
    .join('; ');
}

const relations: Readonly<Record<TestNeighbour['why'], (subject: string) => string>> = {
  'carries its name': (subject) => `carries the name of ${subject}`,
  'imports it': (subject) => `covers ${subject}`,
  'imports an importer': (subject) => `reaches ${subject}`,
  'matches the words': () => 'matches the words of the request',
};

/** How a test stands to the file it was found for. */
export const relationOf = ({ why, of }: Study['tests'][number]): string => relations[why](of);
