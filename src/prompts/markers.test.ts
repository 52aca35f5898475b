import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { appendDispatch, dispatchLogFile, readDispatches } from './dispatch-log.ts';
import { countIterations, countMarkers, resumeFallbackLine } from './markers.ts';
import { type DispatchRecord, dispatchRates } from './rates.ts';

test('T-076, T-080, T-085: marker lines count, mentions do not', () => {
  const history = [
    '## Spec Review - Iteration 1 - 2026-03-01T10:00:00Z',
    'LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads',
    '- **LAZY-LOAD-WARNING:** design-reviewer iteration 2 did not confirm artifact reads',
    '- Replaced the counter with "LAZY-LOAD-WARNING entry constitutes the record"',
    '- [warning] Implementation-reviewer: LAZY-LOAD-WARNING count audit',
    '```',
    'LAZY-LOAD-WARNING: plan-reviewer did not confirm artifact reads',
    '```',
    '## Iteration 2 - 2026-03-01T11:00:00Z [FINAL VALIDATION]',
    'RESUME-FALLBACK: spec-reviewer iteration 2 — agent_id lost (context compaction)',
    'RESUME-FALLBACK: relevance-verifier iteration 3 -- HTTP 400',
    '- [suggestion] verify no RESUME-FALLBACK marker written',
  ].join('\n');
  expect(countMarkers(history)).toEqual({ lazyLoadWarnings: 2, resumeFallbacks: 2 });
  expect(countIterations(history)).toBe(2);
});

test('T-104, lean/C-25: one line, with an em dash, whatever the error text', () => {
  const line = resumeFallbackLine('spec-reviewer', 2, 'HTTP 400\nbad\trequest');
  expect(line).toBe('RESUME-FALLBACK: spec-reviewer iteration 2 — HTTP 400 bad request');
  expect(countMarkers(line).resumeFallbacks).toBe(1);
});

const record = (more: Partial<DispatchRecord>): DispatchRecord => ({
  v: 1,
  time: '2026-03-01T10:00:00Z',
  feature: '007-search',
  command: 'specify',
  role: 'spec-reviewer',
  iteration: 1,
  kind: 'fresh',
  promptCharacters: 900,
  ...more,
});

test('lean/C-07, T-078, T-079, T-138: rates with their own denominators; the limit itself raises no alarm', () => {
  const five = ['missing', 'full', 'full', 'partial', 'full'] as const;
  const records = [
    ...five.map((confirmation) => record({ confirmation })),
    record({ iteration: 2, kind: 'resumed' }),
    record({ iteration: 2, resumeFallback: 'HTTP 400', confirmation: 'missing' }),
    record({ iteration: 3, guardTripped: true }),
  ];
  expect(dispatchRates(records)).toMatchObject([
    { name: 'lazy-load-warning', count: 2, of: 6, alarm: true },
    { name: 'resume-fallback', count: 1, of: 2, alarm: true },
    { name: 'guard-trip', count: 1, of: 3, alarm: false },
  ]);
  expect(dispatchRates(five.map((confirmation) => record({ confirmation })))[0]).toMatchObject({
    share: 0.2,
    alarm: false,
  });
});

test('lean/C-06: the log is outside the feature and survives a truncated line', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'dispatch-log-'));
  expect(await readDispatches(root)).toEqual([]);
  await appendDispatch(root, record({}));
  await appendFile(path.join(root, dispatchLogFile), '{"v":1,"feat\n');
  await appendDispatch(root, record({ iteration: 2 }));
  expect((await readDispatches(root)).map(({ iteration }) => iteration)).toEqual([1, 2]);
});
