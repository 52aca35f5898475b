import { countNew, coveredBranches, forgetCoverage, reachedWords, startCounting } from './coverage.ts';
import { execute, type Fault, faultKey, shrink } from './execute.ts';
import { mutate, type Random } from './mutate.ts';
import type { Target } from './target.ts';

export type Finding = { kind: Fault['kind'] | 'hang' | 'memory' | 'growth'; message: string; input: string };

export type Exploration = {
  executions: number;
  /** Branches reached by the texts it started from, and those that were found beyond. */
  atStart: number;
  found: number;
  /** Texts that reached something new. */
  kept: string[];
  findings: Finding[];
};

export type ExploreOptions = {
  random: Random;
  /** Texts that were saved earlier. */
  saved: readonly string[];
  /** Time in milliseconds since the epoch. */
  until: number;
  /** Texts at most. */
  most: number;
  /** Called before each text is tried. */
  onTry: (text: string) => void;
};

const mostFindings = 5;
const longestStart = 12_000;

/** Tries texts and keeps those that reach new branches: what they have in common with the next ones is worth trying. */
export async function explore(target: Target, options: ExploreOptions): Promise<Exploration> {
  const { random, until, onTry } = options;
  forgetCoverage();
  const kept: string[] = [];
  const findings = new Map<string, Finding>();
  let executions = 0;
  const attempt = async (text: string): Promise<boolean> => {
    onTry(text);
    startCounting();
    const fault = await execute(target, text);
    const isNew = countNew() > 0;
    executions += 1;
    if (fault === undefined) return isNew;
    const key = faultKey(fault);
    if (!findings.has(key)) {
      const input = await shrink(target, text, key, Math.min(until, Date.now() + 2000));
      findings.set(key, { ...((await execute(target, input)) ?? fault), input });
    }
    return false;
  };
  const start = [...target.seeds, ...options.saved, '', ' ', '\n', 'x'];
  for (const text of start) {
    await attempt(text);
    // Long ones were saved for the time they took; what grows out of them would take it again.
    if (text.length <= longestStart) kept.push(text);
  }
  const atStart = coveredBranches();
  const words = reachedWords();
  while (Date.now() < until && executions < options.most && findings.size < mostFindings) {
    const text = mutate(pick(kept, random), pick(kept, random), words, random);
    if (await attempt(text)) kept.push(text);
    // What waits for a turn of the event loop gets one.
    if (executions % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { executions, atStart, found: coveredBranches() - atStart, kept, findings: [...findings.values()] };
}

/** Recent texts more often: they are at the edge of what is known. */
function pick(list: readonly string[], random: Random): string {
  const back = Math.floor(random() ** 2 * list.length);
  return list[list.length - 1 - back] ?? '';
}
