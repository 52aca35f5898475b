import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type CrashPoint,
  crashAndResume,
  crashPoints,
  expectUndisturbed,
  placeOf,
  undisturbedRun,
} from '../../support/crash.ts';
import { everyFault, faultCase } from '../../support/fault-case.ts';
import { hasPostgres } from '../../support/fault-run.ts';
import { startPostgres } from '../../support/postgres.ts';
import { connected } from '../../support/worker-program.ts';

// How often: a number of seeded writes, or `all`.
const wanted = process.env['SERVER_KILLS'] ?? (everyFault ? '40' : '3');

if (hasPostgres()) {
  const server = await startPostgres({ durable: true });
  afterAll(() => server.stop());
  let stores = 0;
  const storeOf = () => {
    stores += 1;
    return { CHARRETTE_DATABASE_URL: server.url.replace(/postgres$/, `store_${stores}`) };
  };
  const reference = await undisturbedRun(storeOf());
  const { seed, points } = crashPoints(wanted === 'all' ? 1 : Number(wanted));
  const every = Array.from(
    { length: reference.writes - 1 },
    (_, index): CrashPoint => ({ write: index + 1 }),
  );

  describe('on PostgreSQL', () => {
    for (const point of wanted === 'all' ? [...every, ...points] : points) {
      faultCase('program killed with -9, store on PostgreSQL', placeOf(point), async () => {
        let url = '';
        const outcome = await crashAndResume(point, reference, () => {
          const store = storeOf();
          url = store.CHARRETTE_DATABASE_URL;
          return store;
        });
        expectUndisturbed(outcome, reference, seed);
        if (point === 'last') expect(outcome.hadEnded).toBe(true);
        expect(await openTransactions(url), outcome.place).toBe(0);
        return `${outcome.place}: ${outcome.hadEnded ? 'was done' : 'resumed'}, equal to the byte`;
      });
    }

    test('detects a session that remains in a transaction', async () => {
      const found = await connected(server.url, async (client) => {
        await client.query('BEGIN');
        return openTransactions(server.url);
      });
      expect(found).toBe(1);
    });
  });
} else describe.skip('on PostgreSQL', () => {});

/** Sessions that processes which are gone left in the middle of a transaction; the server takes a moment to notice that they are. */
async function openTransactions(url: string): Promise<number> {
  return connected(url, async (client) => {
    for (let tries = 0; ; tries += 1) {
      const { rows } = await client.query(
        "SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
      );
      const open = Number(rows[0]?.open);
      if (open === 0 || tries === 20) return open;
      await sleep(100);
    }
  });
}
