import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { contested } from '../../test/dialectic-fixtures.ts';
import { contestedDecisionSchema, synthesisSchema } from '../base/schema/judgements/design.ts';
import { line } from '../base/schema/primitives.ts';
import { rankDecisions, readDecisions, renderDecisions } from './decisions.ts';
import {
  dispositions,
  type Resolution,
  readResolutions,
  renderResolutions,
  type WhyLabel,
} from './resolutions.ts';
import { readSynthesis, renderSynthesis } from './sketch.ts';

test('L-454 impact first, then the evenest split, then order of appearance', () => {
  const ranked = rankDecisions([
    contested('low', { impact: 'Low', chosenSeats: ['a', 'b'], alternativeSeats: ['c', 'd'] }),
    contested('three-one', { chosenSeats: ['a', 'b', 'c'], alternativeSeats: ['d'] }),
    contested('two-two', { chosenSeats: ['a', 'b'], alternativeSeats: ['c', 'd'] }),
    contested('high', { impact: 'High' }),
    contested('one-one'),
    contested('one-one again'),
  ]);
  expect(ranked.map(({ title }) => title)).toEqual([
    'high',
    'two-two',
    'three-one',
    'one-one',
    'one-one again',
    'low',
  ]);
  expect(ranked.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
});

const withoutCommas = (text: string) => text.replaceAll(',', '').trim() || 'x';
const names = (list: string[]) => list.map(withoutCommas).filter((name) => name !== '(none)');

const ranked = fc.array(arbitraryOf(contestedDecisionSchema), { maxLength: 6 }).map((contested) =>
  rankDecisions(
    contested.map((each) => ({
      ...each,
      affectedFiles: names(each.affectedFiles),
      chosenSeats: [],
      alternativeSeats: [],
    })),
  ),
);

test('L-453 L-457 contested decisions are read back as they were written', () => {
  fc.assert(
    fc.property(ranked, (decisions) => {
      expect(readDecisions(renderDecisions(decisions))).toEqual({ ok: true, decisions });
    }),
  );
});

test('L-453 the block has its exact shape', () => {
  const [decision] = rankDecisions([
    {
      title: 'Where the lock lives',
      chosen: 'in the store',
      alternative: 'in a file',
      tension: 'Cursor-Arch against Codex-Pragmatic',
      impact: 'High',
      affectedFiles: ['src/lock.ts', 'src/store.ts'],
      chosenSeats: [],
      alternativeSeats: [],
    },
  ]);
  expect(renderDecisions(decision ? [decision] : [])).toBe(`### DECISION_1: Where the lock lives
- **Chosen**: in the store
- **Alternative**: in a file
- **Tension**: Cursor-Arch against Codex-Pragmatic
- **Impact**: High
- **Affected files**: src/lock.ts, src/store.ts
`);
});

test('L-455 no divergence is exactly the sentinel, and blanks around it do not matter', () => {
  expect(renderDecisions([])).toBe('NO_CONTESTED_DECISIONS');
  expect(readDecisions('\n  NO_CONTESTED_DECISIONS \n')).toEqual({ ok: true, decisions: [] });
});

const block = (number: number, impact: string) =>
  `### DECISION_${number}: t\n- **Chosen**: a\n- **Alternative**: b\n- **Tension**: c\n- **Impact**: ${impact}\n- **Affected files**: d.ts\n`;

test.each([
  ['an empty file', '', /NO_CONTESTED_DECISIONS/],
  ['prose', 'We all agreed.', /NO_CONTESTED_DECISIONS/],
  ['a gap in the numbers', block(1, 'High') + block(3, 'Low'), /expected DECISION_2/],
  ['a missing field', '### DECISION_1: t\n- **Chosen**: a\n', /Alternative is missing/],
  ['an unknown impact', block(1, 'Huge'), /Impact is one of/],
  ['a wrong order', block(1, 'Low') + block(2, 'High'), /not ordered by impact/],
])('L-457 %s is a failure, never "no decisions"', (_, text, problem) => {
  const reading = readDecisions(text);
  expect(reading.ok).toBe(false);
  if (!reading.ok) expect(reading.problems.join('\n')).toMatch(problem);
});

const whyFor: Record<(typeof dispositions)[number], WhyLabel> = {
  voted: 'Why antithesis prevails',
  'fallback-to-synthesis': 'Why fallback',
  'bucket-skipped': 'Why skipped',
  'over-cap': 'Why over-cap',
};

const resolution: fc.Arbitrary<Resolution> = fc
  .record({
    title: arbitraryOf(line(100)),
    resolution: arbitraryOf(line(100)),
    disposition: fc.constantFrom(...dispositions),
    thesisSummary: fc.oneof(fc.constant(''), arbitraryOf(line(100))),
    antithesisSummary: arbitraryOf(line(100)),
    why: arbitraryOf(line(100)),
    thesis: fc.nat(3),
  })
  .map(({ why, thesis, ...rest }) => ({
    ...rest,
    number: 1,
    ...(rest.disposition === 'voted' ? { tally: { thesis, antithesis: 3 - thesis } } : {}),
    why: { label: whyFor[rest.disposition], text: why },
  }));

test('L-530 L-532 resolutions are read back as they were written', () => {
  fc.assert(
    fc.property(fc.array(resolution, { maxLength: 5 }), (list) => {
      const resolutions = list.map((each, index) => ({ ...each, number: index + 1 }));
      expect(readResolutions(renderResolutions(resolutions))).toEqual({ ok: true, resolutions });
    }),
  );
});

test.each([
  ['an unknown disposition', '**Disposition**: decided\n**Why fallback**: x'],
  ['two why fields', '**Disposition**: over-cap\n**Why over-cap**: x\n**Why fallback**: y'],
  ['no why field', '**Disposition**: over-cap'],
  [
    'a tally without a vote',
    '**Disposition**: over-cap\n**Vote tally**: THESIS=1, ANTI_THESIS=2\n**Why over-cap**: x',
  ],
  ['a vote without a tally', '**Disposition**: voted\n**Why thesis prevails**: x'],
])('L-532 %s is refused', (_, fields) => {
  expect(readResolutions(`### DECISION_1: t\n**Resolution**: r\n${fields}\n`).ok).toBe(false);
});

test('L-450 L-451 L-452 the synthesis is read back with its provenance and highlights', () => {
  const seats = (list: string[]) => names(list);
  fc.assert(
    fc.property(arbitraryOf(synthesisSchema), ({ contested: _, ...drawn }) => {
      const synthesis = {
        ...drawn,
        agreements: drawn.agreements.map((each) => ({ ...each, seats: seats(each.seats) })),
        divergences: drawn.divergences.map((each) => ({
          ...each,
          positions: each.positions.map((inner) => ({ ...inner, seats: seats(inner.seats) })),
        })),
        ideas: drawn.ideas.map((each) => ({ ...each, seats: seats(each.seats) })),
      };
      expect(readSynthesis(renderSynthesis({ ...synthesis, contested: [] }))).toEqual(synthesis);
    }),
  );
});
