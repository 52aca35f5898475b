import { expect, test } from 'vitest';
import { scaledTimeout, timeouts } from './timeouts.ts';

test('L-028 L-206 L-930 L-931 panel/C-33 the table of limits', () => {
  expect(timeouts.sketch).toEqual({ outerMs: 1_260_000, collectorSeconds: 1260, agentSeconds: 1200 });
  expect([timeouts.review, timeouts.debate, timeouts.judge]).toEqual(
    Array.from({ length: 3 }, () => ({ outerMs: 1_860_000, collectorSeconds: 1860, agentSeconds: 1800 })),
  );
  expect(timeouts.vote).toEqual(timeouts.sketch);
  expect(timeouts.probe.agentSeconds).toBe(60);
  for (const row of [...Object.values(timeouts), scaledTimeout('vote', 90)]) {
    expect(row.outerMs).toBeGreaterThanOrEqual(row.collectorSeconds * 1000);
    expect(row.collectorSeconds).toBeGreaterThanOrEqual(row.agentSeconds + 60);
  }
});
