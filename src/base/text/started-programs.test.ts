import { expect, test } from 'vitest';
import { startedPrograms } from './started-programs.ts';

test.each([
  ['sudo /usr/bin/x -y', [['x', '-y']]],
  ['A=1 env -i B=2 x y', [['x', 'y']]],
  ['>log 2>&1 < in x', [['x']]],
  ['command -v x', []],
  ['sudo -l x', []],
  ['npm run x', []],
  ['pnpm dlx --package y x', [['x']]],
  ['env -S "x y" z', [['x', 'y']]],
  [`bash -c 'x "$1"' _ 'a; b'`, [['x', '$1']]],
  ['bash script.sh', [['script.sh']]],
  ['while true; do nice x; done', [['true'], ['x'], ['done']]],
  ['sudo', []],
] as const)('%j', (line, programs) => expect(startedPrograms(line)).toEqual(programs));

test('command lines in command lines come to an end', () => {
  expect(startedPrograms(`${'eval '.repeat(10_000)}x`)).toEqual([]);
});
