import { hostileTexts } from '../hostile-texts.ts';
import type { Finding } from './explore.ts';
import type { Random } from './mutate.ts';
import type { Target } from './target.ts';

export type Growth = {
  /** Processor time of the slowest text per kilobyte, in microseconds. */
  perKilobyte: number;
  /** Size of that text in kilobytes. */
  kilobytes: number;
  /** Cost against size of the text that grew most: 1 is linear. */
  exponent: number;
  finding?: Finding;
};

const sizes = { first: 8_000, second: 32_000, confirm: [32_000, 128_000] } as const;
/** More than this is a finding, if the large text also takes longer than {@link slow}. */
const steepest = 1.5;
const slow = 300_000;
/** Below this many microseconds a measurement says nothing. */
const noise = 3_000;

/** Repeats pieces of texts until they are long, and measures how the time grows with the length. */
export async function measureGrowth(
  target: Target,
  options: {
    random: Random;
    texts: readonly string[];
    until: number;
    /** Texts at most. */
    most: number;
    onTry: (text: string) => void;
  },
): Promise<Growth> {
  const { random, texts, until, onTry } = options;
  const growth: Growth = { perKilobyte: 0, kilobytes: 0, exponent: 0 };
  const cost = async (text: string) => {
    onTry(text);
    const before = process.threadCpuUsage();
    try {
      const answer = target.run(text);
      if (answer instanceof Promise) await answer;
    } catch {
      // What it says to such a text is not the question here.
    }
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const small = hostileTexts(400);
  for (let turn = 0; Date.now() < until && turn < options.most; turn += 1) {
    const hostile = small[turn];
    const pump =
      hostile === undefined
        ? pumpOf(texts[Math.floor(random() * texts.length)] ?? 'x', random)
        : whole(hostile);
    const [one, two] = [await cost(pump(sizes.first)), await cost(pump(sizes.second))];
    if (two / (sizes.second / 1024) > growth.perKilobyte && two > noise) {
      growth.perKilobyte = two / (sizes.second / 1024);
      growth.kilobytes = Math.round(sizes.second / 1024);
    }
    const exponent =
      two < noise ? 0 : Math.log(two / Math.max(one, noise / 4)) / Math.log(sizes.second / sizes.first);
    if (exponent < steepest) {
      growth.exponent = Math.max(growth.exponent, exponent);
      continue;
    }
    const [from, to] = sizes.confirm;
    const [less, more] = [await least(() => cost(pump(from))), await least(() => cost(pump(to)))];
    const confirmed = Math.log(more / Math.max(less, noise / 4)) / Math.log(to / from);
    growth.exponent = Math.max(growth.exponent, confirmed);
    if (confirmed < steepest || more < slow) continue;
    const message = `${(more / 1000).toFixed(0)} ms for ${to / 1000},000 characters, ${(less / 1000).toFixed(0)} ms for ${from / 1000},000: exponent ${confirmed.toFixed(2)}`;
    growth.finding = { kind: 'growth', message, input: pump(2_000) };
    return growth;
  }
  return growth;
}

async function least(measure: () => Promise<number>): Promise<number> {
  return Math.min(await measure(), await measure(), await measure());
}

/** The text with one piece of it repeated until it has a size. */
function pumpOf(text: string, random: Random): (size: number) => string {
  const start = Math.floor(random() * text.length);
  const length = 1 + Math.floor(random() ** 3 * 80);
  const piece = text.slice(start, start + length) || 'x';
  const [before, after] = [text.slice(0, start), text.slice(start + length)];
  return (size) =>
    before +
    piece.repeat(Math.max(1, Math.floor((size - before.length - after.length) / piece.length))) +
    after;
}

function whole(text: string): (size: number) => string {
  return (size) => text.repeat(Math.ceil(size / text.length)).slice(0, size);
}
