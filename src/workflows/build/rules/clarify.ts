import type { Exploration } from '../../../base/schema/judgements/lite.ts';

type Need = Exploration['clarification_needs'][number];

/** One question after merging: what all angles that asked it know about it. */
export type Clarification = {
  id: string;
  /** At most twelve characters, unique in its round (P-051). */
  header: string;
  question: string;
  context: string;
  options: string[];
  recommended: number | undefined;
  angles: string[];
};

const mostOptions = 4;
export const roundSize = 4;

/** P-050: questions of the same intent become one; the recommendation is looked up again among the merged options. */
export function mergeClarifications(
  explorations: readonly { angle: string; exploration: Pick<Exploration, 'clarification_needs'> }[],
): Clarification[] {
  const groups: { need: Need; angle: string }[][] = [];
  for (const { angle, exploration } of explorations) {
    for (const need of exploration.clarification_needs) {
      const group = groups.find(([first]) => first !== undefined && sameIntent(first.need, need));
      if (group === undefined) groups.push([{ need, angle }]);
      else group.push({ need, angle });
    }
  }
  return groups.map((group, index) => mergeGroup(group, index + 1));
}

function mergeGroup(group: readonly { need: Need; angle: string }[], number: number): Clarification {
  const recommended = group.flatMap(({ need }) =>
    need.recommended === null ? [] : [cleanOption(need.options[need.recommended] ?? '')],
  );
  const wanted = unique(recommended.filter((option) => option !== ''));
  const all = unique(group.flatMap(({ need }) => need.options.map(cleanOption)).filter(Boolean));
  const kept = all.length <= mostOptions ? all : keepFour(all, wanted);
  const best = wanted[0] === undefined ? -1 : kept.findIndex((option) => same(option, wanted[0] ?? ''));
  const question = group[0]?.need.question ?? '';
  return {
    id: `clarify-${number}`,
    header: headerOf(question, number),
    question,
    context: unique(group.map(({ need }) => need.context)).join(' '),
    options: kept,
    recommended: best < 0 ? undefined : best,
    angles: unique(group.map(({ angle }) => angle)),
  };
}

/** Recommended options stay; the rest in the order in which they came. */
function keepFour(all: readonly string[], wanted: readonly string[]): string[] {
  const must = all.filter((option) => wanted.some((other) => same(option, other))).slice(0, mostOptions);
  const rest = all.filter((option) => !must.includes(option)).slice(0, mostOptions - must.length);
  return all.filter((option) => must.includes(option) || rest.includes(option));
}

/** P-051: rounds of at most four. */
export function clarificationRounds(clarifications: readonly Clarification[]): Clarification[][] {
  return Array.from({ length: Math.ceil(clarifications.length / roundSize) }, (_, round) =>
    clarifications.slice(round * roundSize, (round + 1) * roundSize),
  );
}

/** What auto mode assumes, or an empty text when nothing was recommended (P-052). */
export function assumedAnswer({ options, recommended }: Clarification): string {
  return recommended === undefined ? '' : (options[recommended] ?? '');
}

/** P-051, C-12: marks of a list never get into an answer. */
export function cleanOption(option: string): string {
  return option
    .replace(/^[\s★☆*]+|[\s★☆]+$/gu, '')
    .replace(/\s*\((?:recommended|推荐)\)\s*$/iu, '')
    .replace(/[\s★☆]+$/u, '')
    .trim();
}

function headerOf(question: string, number: number): string {
  const suffix = ` ${number}`;
  const words = question.replace(/[^\p{L}\p{N} ]/gu, '').trim();
  return `${words.slice(0, 12 - suffix.length).trim()}${suffix}`.trim();
}

const stop = new Set(
  'a an and are be do does for how in is it of on or should the this to we what which with'.split(' '),
);

function sameIntent(a: Need, b: Need): boolean {
  const [left, right] = [wordsOf(a.question), wordsOf(b.question)];
  if (left.size === 0 || right.size === 0) return a.question.trim() === b.question.trim();
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared / new Set([...left, ...right]).size >= 0.5;
}

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !stop.has(word)));
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function unique(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.findIndex((other) => same(text, other)) === index);
}
