import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Candidate,
  characters,
  exactTokens,
  hardCut,
  packBrief,
  paddedQuarters,
  quarters,
  sectionCut,
} from './pack.ts';

const all = Number.MAX_SAFE_INTEGER;

test.each([
  ['A-14 level two and three', 'a\n## b\n### c\n', '### c'],
  ['A-14 not one, four or setext', 'a\n# b\n#### c\nd\n---\n', undefined],
  ['A-14 not without a blank', 'a\n##b\n', undefined],
  ['A-14 a tab or the end of the line', 'a\n##\tb\nc\n##', '##'],
  ['A-14 up to three spaces', 'a\n   ## b\n    ## c\n', '   ## b'],
  ['A-14 not in a fence', 'a\n```\n## b\n```\n', undefined],
  ['A-14 not in a comment', 'a\n<!--\n## b\n-->\n', undefined],
  ['A-14 not in front matter', '---\nk: 1\n\n# x\n---\n', undefined],
  ['A-15 not without content before', '\n\n## b\ntext', undefined],
  ['A-26 not behind an unclosed fence', 'a\n```\n## b', undefined],
  ['A-08 not behind a form feed', 'a\f## b', undefined],
])('%s', (_name, text, rest) => {
  const cut = sectionCut(text, all);
  expect(cut && text.slice(cut.index).split('\n', 1)[0]).toBe(rest);
});

test('A-16: the last boundary at or before the limit, equality allowed', () => {
  const text = 'intro\n## a\nxx\n## b\nyy\n';
  expect(sectionCut(text, 14)).toEqual({ index: 14, at: 'section' });
  expect(sectionCut(text, 13)).toEqual({ index: 6, at: 'section' });
  expect(sectionCut(text, 5)).toBeUndefined();
});

test('A-13: a line start, else a character, never between CR and LF', () => {
  expect(hardCut('ab\ncd\nef', 5)).toEqual({ index: 3, at: 'line' });
  expect(hardCut('abcdef', 4)).toEqual({ index: 4, at: 'character' });
  expect(hardCut('abc\r\nd', 4)).toEqual({ index: 3, at: 'character' });
  expect(hardCut('\n\nabcdef', 5)).toEqual({ index: 5, at: 'character' });
  expect(hardCut('abc', 0)).toEqual({ index: 0, at: 'character' });
});

const text = (size: number) => 'x'.repeat(size);
const states = (report: ReturnType<typeof packBrief>) =>
  Object.fromEntries(report.items.map(({ id, state }) => [id, state]));

/** 100 characters with a boundary after 40. */
const divisible = `${text(39)}\n## b\n${text(55)}`;

const documents = (sizes: Record<string, string>): Candidate[] =>
  Object.entries(sizes).map(([id, body]) => ({
    id,
    text: body,
    isProtected: id === 'spec',
    isIndivisible: id === 'pencil-plan',
  }));

const cap = (quarterSum: number) => Math.ceil((quarterSum * 11) / 10);

test.each([
  [
    'only pencil-plan does not fit',
    'cut',
    { spec: divisible, system: divisible, research: divisible, 'pencil-plan': divisible },
    75,
    ['whole', 'whole', 'whole', 'dropped'],
  ],
  [
    'research does not fit, pencil-plan present',
    'cut',
    { spec: divisible, system: divisible, research: divisible, 'pencil-plan': text(4) },
    62,
    ['whole', 'whole', 'cut', 'dropped'],
  ],
  [
    'research does not fit, no pencil-plan',
    'cut',
    { spec: divisible, system: divisible, research: divisible },
    62,
    ['whole', 'whole', 'cut'],
  ],
  [
    'system does not fit',
    'cut',
    { spec: divisible, system: divisible, research: text(4) },
    40,
    ['whole', 'cut', 'dropped'],
  ],
  ['spec does not fit', 'cut', { spec: divisible, system: text(4) }, 12, ['cut', 'dropped']],
  [
    'A-12 system has no usable boundary',
    'cut',
    { spec: text(100), system: text(100), research: text(4) },
    40,
    ['whole', 'dropped', 'dropped'],
  ],
  [
    'R1 only pencil-plan',
    'drop',
    { spec: divisible, system: divisible, research: divisible, 'pencil-plan': divisible },
    75,
    ['whole', 'whole', 'whole', 'dropped'],
  ],
  [
    'R1 research and pencil-plan',
    'drop',
    { spec: divisible, system: divisible, research: divisible, 'pencil-plan': text(4) },
    62,
    ['whole', 'whole', 'dropped', 'dropped'],
  ],
  ['R1 system', 'drop', { spec: divisible, system: divisible }, 40, ['whole', 'dropped']],
  ['R1 spec', 'drop', { spec: divisible, system: text(4) }, 12, ['cut', 'dropped']],
] as const)('M-033…M-036, A-10: %s', (_name, overflow, sizes, sum, expected) => {
  const report = packBrief(documents(sizes), { cap: cap(sum), measure: paddedQuarters, overflow });
  expect(Object.values(states(report))).toEqual(expected);
});

test('M-039: 22000 together, budget 20000: pencil-plan goes first, spec stays', () => {
  const body = text(20_000);
  const report = packBrief(documents({ spec: body, system: body, research: body, 'pencil-plan': body }), {
    cap: 20_000,
    measure: paddedQuarters,
    overflow: 'cut',
  });
  expect(states(report)).toEqual({
    spec: 'whole',
    system: 'whole',
    research: 'whole',
    'pencil-plan': 'dropped',
  });
});

test('A-01, A-03: an exact fit is whole, one character more is not', () => {
  const pack = (size: number) =>
    packBrief(documents({ spec: text(4), system: text(size) }), {
      cap: 55,
      measure: paddedQuarters,
      overflow: 'cut',
    });
  expect(states(pack(196))).toEqual({ spec: 'whole', system: 'whole' });
  expect(states(pack(197))).toEqual({ spec: 'whole', system: 'dropped' });
});

test('A-01, A-03: 18181 quarters are the most that 20000 hold, and every estimate holds its own', () => {
  expect(paddedQuarters.capacity(20_000)).toBe(18_181);
  for (const quarters of [50, 100, 110, 170])
    expect(paddedQuarters.capacity((11 * quarters) / 10)).toBe(quarters);
});

test('A-02: the ceiling is per document', () => {
  const five = documents({ spec: 'abcde', system: 'abcde' });
  expect(packBrief(five, { cap: 5, measure: paddedQuarters, overflow: 'cut' }).used).toBe(4);
  expect(states(packBrief(five, { cap: 4, measure: paddedQuarters, overflow: 'cut' })).system).toBe(
    'dropped',
  );
});

test('A-11: no smaller document fills the gap', () => {
  const report = packBrief(documents({ spec: text(40), system: text(100), research: 'x' }), {
    cap: cap(20),
    measure: paddedQuarters,
    overflow: 'cut',
  });
  expect(states(report)).toMatchObject({ system: 'dropped', research: 'dropped' });
});

test('A-13, A-18: spec is cut inside a section, down to nothing', () => {
  const pack = (tokens: number) =>
    packBrief(documents({ spec: 'aaaa\nbbbb\ncccc' }), {
      cap: tokens,
      measure: paddedQuarters,
      overflow: 'cut',
    }).items[0];
  expect(pack(3)).toMatchObject({ state: 'cut', text: 'aaaa\n', offset: 5, cutAt: 'line' });
  expect(pack(2)).toMatchObject({ state: 'cut', text: 'aaaa', offset: 4, cutAt: 'character' });
  expect(pack(1)).toMatchObject({ state: 'cut', text: '', offset: 0 });
});

test('A-10, A-13: a sole pencil-plan is cut, not dropped', () => {
  const report = packBrief(documents({ 'pencil-plan': divisible }), {
    cap: 12,
    measure: paddedQuarters,
    overflow: 'cut',
  });
  expect(report.items[0]).toMatchObject({ state: 'cut', offset: 40 });
});

test('A-19: spec gets its share first and keeps its place', () => {
  const report = packBrief(documents({ research: text(40), spec: text(40) }), {
    cap: cap(10),
    measure: paddedQuarters,
    overflow: 'cut',
  });
  expect(report.items.map(({ id, state }) => [id, state])).toEqual([
    ['research', 'dropped'],
    ['spec', 'whole'],
  ]);
});

test('skip: smaller ones of lower rank still get in, and rank decides', () => {
  const report = packBrief(
    [
      { id: 'low', text: text(5), rank: 3 },
      { id: 'large', text: text(50), rank: 2 },
      { id: 'first', text: text(6), rank: 1 },
    ],
    { cap: 12, measure: characters, overflow: 'skip' },
  );
  expect(states(report)).toEqual({ low: 'whole', large: 'dropped', first: 'whole' });
  expect(report).toMatchObject({ rule: 'characters', used: 11 });
});

test('the exact rule packs with real token counts', async () => {
  const measure = await exactTokens();
  const report = packBrief(
    [{ id: 'a', text: 'hello world\n## more\nwords and words and words\n', isProtected: true }],
    { cap: 4, measure, overflow: 'cut' },
  );
  expect(report).toMatchObject({ rule: 'o200k', items: [{ state: 'cut', text: 'hello world\n' }] });
  expect(report.used).toBeLessThanOrEqual(4);
});

const line = fc.oneof(
  fc.constantFrom(
    '## a',
    '### b',
    '# c',
    '```',
    '~~~',
    '<!--',
    '-->',
    '---',
    'k: v',
    '',
    '\r',
    '😀😀',
    '漢字',
    '_TBD_',
  ),
  fc.string({ maxLength: 30, unit: 'grapheme' }),
);
const body = fc
  .array(line, { maxLength: 20 })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((newline) => lines.join(newline)));

test('whatever the documents and the cap: within the cap, prefixes, protected ones present', () => {
  const ids = ['spec', 'system', 'research', 'pencil-plan'];
  fc.assert(
    fc.property(
      fc.array(body, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom('cut' as const, 'drop' as const, 'skip' as const),
      fc.constantFrom(paddedQuarters, quarters, characters),
      (bodies, limit, overflow, measure) => {
        const candidates = documents(
          Object.fromEntries(bodies.map((content, index) => [ids[index], content])),
        );
        const report = packBrief(candidates, { cap: limit, measure, overflow });
        expect(report.used).toBeLessThanOrEqual(report.capacity);
        expect(measure.shown(report.used)).toBeLessThanOrEqual(limit);
        expect(report.items.reduce((sum, { keptSize }) => sum + keptSize, 0)).toBe(report.used);
        for (const [index, item] of report.items.entries()) {
          const original = [...(bodies[index] ?? '')];
          if (item.state !== 'dropped') {
            expect(item.text + original.slice(item.offset).join('')).toBe(original.join(''));
          }
          if (item.id === 'spec') expect(item.state).not.toBe('dropped');
          if (item.state === 'cut' && item.cutAt !== 'character') {
            expect(item.text === '' || item.text.endsWith('\n')).toBe(true);
          }
        }
        expect(packBrief(candidates, { cap: limit, measure, overflow })).toEqual(report);
      },
    ),
    { numRuns: 2_000 },
  );
});
