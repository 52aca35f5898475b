import { expect, test } from 'vitest';
import { savedTargets, savedTexts } from '../fuzz/corpus.ts';
import { execute, faultKey, shrink } from '../fuzz/execute.ts';
import { instrument } from '../fuzz/instrument.ts';
import { mutate, randomFrom, seedOf } from '../fuzz/mutate.ts';
import { holds, type Target } from '../fuzz/target.ts';
import { targets } from '../fuzz/targets.ts';

const cases = savedTargets().flatMap((name) =>
  savedTexts(name).map(({ message, text }) => [name, message, text] as const),
);

// The limit catches patterns that backtrack from every character: minutes instead of milliseconds.
test.each(cases)('%s: %s', { timeout: 20_000 }, async (name, _, text) => {
  const target = targets.find((candidate) => candidate.name === name);
  if (target === undefined) throw new Error(`unknown target ${name}`);
  expect(await execute(target, text)).toBeUndefined();
});

test.each(targets.map((target) => [target.name, target] as const))(
  '%s takes what it is made for, and a few texts near it',
  async (name, target) => {
    const random = randomFrom(seedOf(name, 1));
    for (const seed of target.seeds) expect(await execute(target, seed)).toBeUndefined();
    for (let turn = 0; turn < 20; turn += 1) {
      const text = mutate(target.seeds[turn % target.seeds.length] ?? '', '', [], random);
      expect(await execute(target, text), JSON.stringify(text)).toBeUndefined();
    }
  },
);

test('every target has a unique name and describes what it reads', () => {
  expect(new Set(targets.map(({ name }) => name)).size).toBe(targets.length);
  for (const { reads, seeds } of targets) expect([reads.length > 10, seeds.length > 0]).toEqual([true, true]);
});

test('the fuzzer tells crash, broken promise and named refusal apart, and makes texts shorter', async () => {
  const target: Target = {
    name: 'planted',
    reads: 'a text with a mistake',
    seeds: ['x'],
    run(text) {
      holds(!text.includes('b'), 'no b');
      if (text.includes('crash')) JSON.parse('{');
    },
  };
  expect(await execute(target, 'fine')).toBeUndefined();
  expect(await execute(target, 'abc')).toEqual({ kind: 'broken promise', message: 'no b' });
  const fault = await execute(target, 'a long text with a crash in it');
  expect(fault?.kind).toBe('crash');
  if (fault === undefined) throw new Error('no fault');
  const input = 'a long text with a crash in it';
  expect(await shrink(target, input, faultKey(fault), Date.now() + 60_000)).toBe('crash');
});

test('instrumented code behaves the same and keeps its line numbers', () => {
  const source = [
    'const f = (a) => a > 1 ? { x: a } : a ?? [a];',
    'function g(list) { for (const one of list) if (one) continue; else return one && f(one); return f(2); }',
    'switch (f(3).x) { case 3: g([0]); break; default: throw new Error("no"); }',
    'try { g(null); } catch (error) { result.push(error.name); }',
    'result.push(f(5).x, g([1]).x, f(undefined).length);',
  ].join('\n');
  const { code, counters, words } = instrument('x.js', source, 0);
  const run = (text: string) => {
    const [result, counts] = [[] as unknown[], new Uint8Array(100)];
    new Function('result', '__fuzzCounters', text)(result, counts);
    return { result, taken: counts.slice(0, counters) };
  };
  expect(run(code).result).toEqual(run(source).result);
  expect(code.split('\n')).toHaveLength(source.split('\n').length);
  expect([...run(code).taken].filter((count) => count === 0)).toHaveLength(2);
  expect(words).toContain('no');
});
