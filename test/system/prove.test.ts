import { expect, test } from 'vitest';
import { leftOut } from '../crash/left-out.ts';
import { isLeftOut, readFaultRows } from '../support/fault-rows.ts';

const wanted = { stories: ['design', 'compare'], scripts: ['faults', 'fuzz'] };
const proven = (story: string, tried: number) => ({ story, states: 10, tried });

test('a proof tells which stories, states and scripts it left out', () => {
  const some = { proofs: [proven('design', 7)], scripts: ['fuzz'] };
  expect(leftOut(wanted, some)).toEqual(['all of compare', '3 of 10 states of design', 'faults']);
  const all = { proofs: [proven('design', 10), proven('compare', 10)], scripts: ['faults', 'fuzz'] };
  expect(leftOut(wanted, all)).toEqual([]);
});

test('a fault whose case was skipped or could not be brought about was left out', () => {
  const line = (moment: string, outcome: string) =>
    JSON.stringify({ fault: 'disk full', moment, outcome, seconds: 1 });
  const text = [
    line('in a line', 'not tried'),
    line('in a file', 'not tried'),
    line('in a run', 'not tried'),
    line('in a file', 'the old content stands'),
    line('in a run', 'not tried: only root can mount a small disk'),
  ].join('\n');
  const rows = readFaultRows(`${text}\n`);
  expect(rows.map(({ moment }) => moment)).toEqual(['in a file', 'in a line', 'in a run']);
  expect(rows.filter(isLeftOut).map(({ moment }) => moment)).toEqual(['in a line', 'in a run']);
});
