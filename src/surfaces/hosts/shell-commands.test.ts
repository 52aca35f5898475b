import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellCommands, startedPrograms } from './shell-commands.ts';

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

const cases: readonly (readonly [line: string, commands: string[][]])[] = [
  ['', []],
  ['one two', [['one', 'two']]],
  ['a; b & c | d && e || f\ng', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
  [`say 'a; b' "c | d" e\\;f`, [['say', 'a; b', 'c | d', 'e;f']]],
  ['one \\\n two', [['one', 'two']]],
  [
    'say "$(inner x)" y',
    [
      ['inner', 'x'],
      ['say', '', 'y'],
    ],
  ],
  [
    'say `inner x` y',
    [
      ['inner', 'x'],
      ['say', '', 'y'],
    ],
  ],
  ["say '$(inner)'", [['say', '$(inner)']]],
  ['(in; side) | out', [['in'], ['side'], [''], ['out']]],
  ['diff <(left) <(right)', [['left'], ['right'], ['diff', '<', '<']]],
  ['names=(one two) run', [['names=', 'run']]],
  ['case x in one) a;; two) b;; esac', [['a'], ['b'], ['esac']]],
  ['a # b; c\nd', [['a'], ['d']]],
  ['a#b', [['a#b']]],
  ['cat <<EOF > x; b\none; two\nEOF\nc', [['cat', '>', 'x'], ['b'], ['c']]],
  ["cat <<-'END'\n\tone\n\tEND\nc", [['cat'], ['c']]],
  ['cat <<EOF\none', [['cat']]],
  ['cat <<< word; b', [['cat', '<<<', 'word'], ['b']]],
  ['x=$((1<<2))\nb', [['1', '2'], [''], ['x='], ['b']]],
  [
    'a 2>&1 | b >|c',
    [
      ['a', '2>&1'],
      ['b', '>|c'],
    ],
  ],
  [
    'a&>log; b>log<in',
    [
      ['a', '&>log'],
      ['b', '>log', '<in'],
    ],
  ],
  [`it's`, [['its']]],
  ['a "b', [['a', 'b']]],
  ['a $(b', [['b'], ['a', '']]],
];

test.each(cases)('%j', (line, commands) => expect(shellCommands(line)).toEqual(commands));

test('whatever the text is, there is an answer, in a time that grows with it', () => {
  const bit = fc.constantFrom(...'$(`"\')<>&|;#\\\n {}=ab'.split(''), '<<EOF', '$(', 'x=(');
  fc.assert(fc.property(fc.array(bit), (bits) => void shellCommands(bits.join(''))));
  for (const bits of ['(', '$(', '`', '<<A\n', '"', 'a;', '\\', "'", '#', '>', '>&'])
    shellCommands(bits.repeat(300_000));
});
