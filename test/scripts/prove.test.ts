import { expect, test } from 'vitest';
import { leftOut } from '../crash/left-out.ts';
import { reservoir } from '../crash/sample.ts';
import { isLeftOut, readFaultRows } from '../support/fault-rows.ts';

const wanted = { stories: ['design', 'compare'], scripts: ['faults', 'fuzz'] };
const proven = (story: string, tried: number) => ({ story, states: 10, tried });

test('a proof lists the stories, states and scripts it left out', () => {
  const some = { proofs: [proven('design', 7)], scripts: ['fuzz'] };
  expect(leftOut(wanted, some)).toEqual(['all of compare', '3 of 10 states of design', 'faults']);
  const all = { proofs: [proven('design', 10), proven('compare', 10)], scripts: ['faults', 'fuzz'] };
  expect(leftOut(wanted, all)).toEqual([]);
});

test('samples writes of unknown number evenly, by seed', () => {
  const sample = (seed: number) => {
    const kept: number[] = [];
    const place = reservoir({ count: 10, seed });
    for (let write = 1; write <= 200; write += 1) {
      const at = place();
      if (at !== undefined) kept[at] = write;
    }
    return kept;
  };
  expect(new Set(sample(1)).size).toBe(10);
  expect(sample(1)).toEqual(sample(1));
  expect(sample(1)).not.toEqual(sample(2));
  const all = Array.from({ length: 400 }, (_, seed) => sample(seed)).flat();
  for (const quarter of [0, 1, 2, 3]) {
    const share = all.filter((write) => Math.ceil(write / 50) === quarter + 1).length / all.length;
    expect(share).toBeGreaterThan(0.22);
    expect(share).toBeLessThan(0.28);
  }
});

test('a fault whose case was skipped or could not be brought about was left out', () => {
  const line = (moment: string, outcome: string) =>
    JSON.stringify({ fault: 'disk full', moment, outcome, seconds: 1 });
  const text = [
    line('in a line', 'not tried'),
    line('in a file', 'not tried'),
    line('in a run', 'not tried'),
    line('in a file', 'the old content is kept'),
    line('in a run', 'not tried: only root can mount a small disk'),
  ].join('\n');
  const rows = readFaultRows(`${text}\n`);
  expect(rows.map(({ moment }) => moment)).toEqual(['in a file', 'in a line', 'in a run']);
  expect(rows.filter(isLeftOut).map(({ moment }) => moment)).toEqual(['in a line', 'in a run']);
});
