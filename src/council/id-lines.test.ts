import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readIdLines, settle } from './ballots.ts';

const votes = ['YES', 'NO', 'EXONERATE'] as const;
const read = (text: string) => readIdLines(text, ['FINDING', 'OOS'], votes);

test('L-637 L-638 plain lines, bold wrappers, list markers and dashes of all kinds', () => {
  const text = [
    'I checked everything, here are my votes:',
    'FINDING_1: YES — it is real',
    '**FINDING_2: NO — duplicate**',
    '- **FINDING_3**: **EXONERATE** - legitimate but costly',
    '4. finding_4: yes',
    'OOS_1: NO: not worth it',
    '__OOS_2:__ `YES` – track it',
  ].join('\n');
  expect(read(text)).toEqual([
    { id: 'FINDING_1', token: 'YES', reason: 'it is real' },
    { id: 'FINDING_2', token: 'NO', reason: 'duplicate' },
    { id: 'FINDING_3', token: 'EXONERATE', reason: 'legitimate but costly' },
    { id: 'FINDING_4', token: 'YES', reason: '' },
    { id: 'OOS_1', token: 'NO', reason: 'not worth it' },
    { id: 'OOS_2', token: 'YES', reason: 'track it' },
  ]);
});

test.each([
  'FINDING_1: YES|NO|EXONERATE — pick one',
  'FINDING_1: YES/NO',
  'FINDING_1: YES or NO',
  'FINDING_1: YESTERDAY',
  'FINDING_1: NOT sure',
  'I vote FINDING_1: YES',
  'FINDING_1 YES',
  'FINDING_N: YES',
  'FINDING_1: MAYBE',
])('L-638 no vote is read from %s', (text) => {
  expect(read(text)).toEqual([]);
});

test('F-20 FINDING_1 is not read out of FINDING_10 or FINDING_100', () => {
  expect(read('FINDING_10: NO — x\nFINDING_100: YES — y').map((each) => each.id)).toEqual([
    'FINDING_10',
    'FINDING_100',
  ]);
});

test('a quoted line does not count as a vote', () => {
  expect(read('> FINDING_2: NO — withdrawn by its author\n  > FINDING_3: YES')).toEqual([]);
});

test('L-518 of lines that agree the first counts; of lines that differ none does', () => {
  const lines = read(
    'FINDING_1: NO — a\nFINDING_2: YES — b\nFINDING_1: NO — c\nFINDING_2: NO\nFINDING_2: YES',
  );
  const settled = settle(
    lines,
    ({ id }) => id,
    ({ token }) => token,
  );
  expect(settled).toEqual({
    entries: [{ id: 'FINDING_1', token: 'NO', reason: 'a' }],
    repeated: ['FINDING_1'],
    contradicted: ['FINDING_2'],
  });
});

test('L-379 every id is read once from any mixture of narration and line ends', () => {
  const vote = fc.record({ number: fc.integer({ min: 1, max: 999 }), token: fc.constantFrom(...votes) });
  const noise = fc.constantFrom('', 'Let me think.', '```', '> quoted', '| a | b |');
  fc.assert(
    fc.property(
      fc.uniqueArray(vote, { selector: (each) => each.number }),
      noise,
      fc.constantFrom('\n', '\r\n', '\r'),
      (cast, filler, end) => {
        const text = cast
          .flatMap(({ number, token }) => [filler, `FINDING_${number}: ${token} — why`])
          .join(end);
        expect(read(text).map(({ id, token }) => [id, token])).toEqual(
          cast.map(({ number, token }) => [`FINDING_${number}`, token]),
        );
      },
    ),
  );
});
