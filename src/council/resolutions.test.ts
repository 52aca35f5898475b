import { expect, test } from 'vitest';
import { bucketsOf, decisions, eligible, judge } from '../../test/dialectic-fixtures.ts';
import { planDebates } from './debate.ts';
import { countDispositions, resolve } from './resolutions.ts';

test('L-481 F-14 queues nothing without debaters, and every decision still gets its entry', () => {
  const plan = planDebates(decisions(6), { buckets: bucketsOf() });
  expect(plan.queued).toEqual([]);
  const resolutions = resolve([
    ...plan.skipped.map((each) => ({ kind: 'skipped' as const, ...each })),
    ...plan.overCap.map((decision) => ({ kind: 'over-cap' as const, decision, cap: plan.cap })),
  ]);
  expect(countDispositions(resolutions)).toEqual({
    voted: 0,
    'fallback-to-synthesis': 0,
    'bucket-skipped': 5,
    'over-cap': 1,
  });
  expect(resolutions[0]?.why).toEqual({
    label: 'Why skipped',
    text: 'Cursor unavailable — bucket Cursor decisions 1, 3, 5 skipped at Step 2a.5 step 4',
  });
  expect(resolutions[5]?.why.text).toBe('decision ranked 6, outside top-5 dialectic selection cap');
  expect(resolutions[5]?.thesisSummary).toBe('(no debate — ranked outside cap)');
});

test('L-531 voted: the winner’s text, the tally, summaries, and an answer to the loser', () => {
  const [debate] = eligible(1);
  if (!debate) throw new Error('no debate');
  const [resolution] = resolve([debate], [judge('a', 'A'), judge('b', 'A'), judge('c', 'T')]);
  expect(resolution).toMatchObject({
    resolution: 'd1 alternative',
    disposition: 'voted',
    tally: { thesis: 1, antithesis: 2 },
    thesisSummary: 'The store must own the lock. It is the only writer.',
    why: { label: 'Why antithesis prevails' },
  });
  expect(resolution?.why.text).toContain('a says. b says.');
  expect(resolution?.why.text).toContain('Looking by hand is rare');
  expect(resolution?.why.text).not.toContain('c says');
});

test('L-531 fallback keeps the choice, has no tally and says why', () => {
  const [debate] = eligible(1);
  if (!debate) throw new Error('no debate');
  const [tie] = resolve([debate], [judge('a', 'A'), judge('b', 'T')]);
  expect(tie).toMatchObject({
    resolution: 'd1 chosen',
    disposition: 'fallback-to-synthesis',
    why: { label: 'Why fallback', text: '1-1 tie with 2 voters' },
  });
  expect(tie?.tally).toBeUndefined();
  const [barred] = resolve([{ kind: 'ineligible', decision: debate.decision, reason: 'missing_tag' }]);
  expect(barred).toMatchObject({ thesisSummary: '', why: { label: 'Why fallback', text: 'missing_tag' } });
});
