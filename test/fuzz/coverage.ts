import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { counterArray, instrument } from './instrument.ts';

const source = pathToFileURL(path.resolve(import.meta.dirname, '..', '..', 'src')).href;
const most = 1 << 17;
const counters = new Uint8Array(most);
const wide = new BigUint64Array(counters.buffer);
/** For every counter the magnitudes (1, 2, 3, 4–7, …) in which it was seen. */
const seen = new Uint8Array(most);
const files: { first: number; end: number; words: readonly string[] }[] = [];
let used = 0;

/** From now on modules of `src/` count their branches as they are loaded. */
export function watchCoverage(): void {
  Reflect.set(globalThis, counterArray, counters);
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith(`${source}/`) || !url.endsWith('.ts')) return next(url, context);
      const file = fileURLToPath(url);
      const {
        code,
        counters: count,
        words,
      } = instrument(file, stripTypeScriptTypes(readFileSync(file, 'utf8')), used);
      if (used + count > most) throw new Error(`more than ${most} branches`);
      files.push({ first: used, end: used + count, words });
      used += count;
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
}

/** Forgets what was seen: the next target starts from nothing. */
export function forgetCoverage(): void {
  seen.fill(0);
  counters.fill(0);
}

export function startCounting(): void {
  counters.fill(0, 0, used);
}

/** How many branches were taken, or taken in another order of magnitude, as never before. */
export function countNew(): number {
  let found = 0;
  const end = Math.ceil(used / 8);
  for (let group = 0; group < end; group += 1) {
    if (wide[group] === 0n) continue;
    for (let index = group * 8; index < group * 8 + 8; index += 1) {
      const bit = 1 << magnitude(counters[index] ?? 0);
      if (bit === 1 || ((seen[index] ?? 0) & bit) !== 0) continue;
      if (seen[index] === 0) found += 1;
      else found += 0.1;
      seen[index] = (seen[index] ?? 0) | bit;
    }
  }
  return found;
}

/** Branches that were taken at least once. */
export function coveredBranches(): number {
  let covered = 0;
  for (let index = 0; index < used; index += 1) if (seen[index] !== 0) covered += 1;
  return covered;
}

/** The texts in the files that were reached since {@link forgetCoverage}. */
export function reachedWords(): string[] {
  const reached = files.filter(({ first, end }) => seen.subarray(first, end).some((bits) => bits !== 0));
  return [...new Set(reached.flatMap(({ words }) => words))];
}

function magnitude(count: number): number {
  if (count <= 3) return count;
  return count < 8 ? 4 : count < 32 ? 5 : count < 128 ? 6 : 7;
}
