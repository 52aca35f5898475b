import pg from 'pg';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { crashAndResume, crashPoints, type Undisturbed, undisturbedRun } from '../../support/crash.ts';
import { everyFault, faultCase } from '../../support/fault-case.ts';
import { hasPostgres } from '../../support/fault-run.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';

const { seed, points } = crashPoints(Number(process.env['SERVER_KILLS'] ?? (everyFault ? 40 : 3)));

describe.skipIf(!hasPostgres())('on PostgreSQL', () => {
  let server: Postgres;
  let reference: Undisturbed;

  /** A database of its own: the same run id in one store would be one run. */
  const storeNamed = (name: string) => ({ CHARRETTE_DATABASE_URL: server.url.replace(/postgres$/, name) });

  beforeAll(async () => {
    server = await startPostgres({ durable: true });
    reference = await undisturbedRun(storeNamed('reference'));
  }, 120_000);
  afterAll(() => server.stop());

  for (const [index, point] of points.entries()) {
    const moment = `at ${(point * 100).toFixed(1)} % of its writes`;
    faultCase('program killed with -9, store on PostgreSQL', moment, async () => {
      const at = 1 + Math.floor(point * reference.writes);
      const outcome = await crashAndResume(at, storeNamed(`kill_${index}`));
      const place = `seed ${seed}, write ${at} of ${reference.writes}`;
      expect(outcome.crashed.signal, place).toBe('SIGKILL');
      expect(outcome.resumed.code, `${place}: ${outcome.resumed.stderr}`).toBe(reference.exit);
      expect(outcome.artifacts, place).toEqual(reference.artifacts);
      expect(outcome.repeatedBeyondFlight, place).toEqual([]);
      expect(outcome.events, place).toEqual(reference.events);
      expect(outcome.ledger, place).toEqual(reference.ledger);
      expect(await openTransactions(server.url), place).toBe(0);
      return `write ${at} of ${reference.writes}: resumed, equal to the byte`;
    });
  }
});

/** Sessions that a killed process left in the middle of a transaction. */
async function openTransactions(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "SELECT count(*)::int AS open FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND state_change < now() - interval '30 seconds'",
  );
  await client.end();
  return Number(rows[0]?.open);
}
