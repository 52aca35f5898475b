import { beforeAll, expect, test } from 'vitest';
import { crashAndResume, crashPoints, type Undisturbed, undisturbedRun } from '../support/crash.ts';

let reference: Undisturbed;
const { seed, points } = crashPoints(Number(process.env['CRASH_POINTS'] ?? 50));

beforeAll(async () => {
  reference = await undisturbedRun();
}, 120_000);

test.concurrent.each(points)(
  'kill -9 at %f of a whole run, resume: the same artifacts, no finished call repeated',
  async (point) => {
    const at = 1 + Math.floor(point * reference.writes);
    const outcome = await crashAndResume(at);
    expect(outcome.crashed.signal).toBe('SIGKILL');
    expect(outcome.resumed.code).toBe(reference.exit);
    expect(outcome.artifacts).toEqual(reference.artifacts);
    expect(outcome.repeatedBeyondFlight, `seed ${seed}, write ${at}`).toEqual([]);
    expect(outcome.events).toEqual(reference.events);
    expect(outcome.ledger).toEqual(reference.ledger);
  },
);
