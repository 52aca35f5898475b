import { afterAll, describe, expect } from 'vitest';
import { crashPoints, writeAt } from '../../support/crash.ts';
import { everyFault, faultCase } from '../../support/fault-case.ts';
import { hasPostgres } from '../../support/fault-run.ts';
import { startPostgres } from '../../support/postgres.ts';
import { killAndTakeOver, serveForAMoment, undisturbedWorker } from '../../support/worker-crash.ts';
import { connected } from '../../support/worker-program.ts';

// How often: a number of seeded writes, or `all`; or which ones, as in `@317,332`.
const wanted = process.env['WORKER_KILLS'] ?? (everyFault ? '40' : '3');

const fault = 'worker killed with -9, its machine gone';

if (hasPostgres()) {
  const server = await startPostgres({ durable: true });
  afterAll(() => server.stop());
  const ask = (statement: string) => connected(server.url, (client) => client.query(statement));
  const storeNamed = (name: string) => ({
    CHARRETTE_DATABASE_URL: server.url.replace(/postgres$/, name),
  });
  // Tables are made once, by a worker that finds nothing to do.
  await ask('CREATE DATABASE tables');
  await serveForAMoment(storeNamed('tables'));
  /** A separate database: the same run id in one store would be one run. */
  const withStore = async <T>(
    name: string,
    body: (env: Record<string, string>) => Promise<T>,
  ): Promise<T> => {
    await ask(`CREATE DATABASE ${name} TEMPLATE tables`);
    try {
      return await body(storeNamed(name));
    } finally {
      await ask(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  };
  const reference = await withStore('reference', undisturbedWorker);
  const every = Array.from({ length: reference.writes }, (_, index) => index + 1);
  const { seed, points } = crashPoints(/^\d+$/.test(wanted) ? Number(wanted) : 1);
  const spread = points.map((point) => writeAt(point, reference.writes));
  const chosen = wanted.startsWith('@') ? wanted.slice(1).split(',').map(Number) : spread;
  const writes = wanted === 'all' ? every : chosen;

  describe('a worker on PostgreSQL', () => {
    for (const at of writes) {
      const moment = `at write ${at} of ${reference.writes}`;
      faultCase(fault, moment, async () => {
        const outcome = await withStore(`kill_${at}`, (env) => killAndTakeOver(at, env));
        const place = `seed ${seed}, ${moment}`;
        expect(outcome.problems, place).toEqual([]);
        expect(outcome.artifacts, place).toEqual(reference.artifacts);
        expect([...new Set(outcome.calls)], place).toEqual(reference.calls);
        if (!outcome.killed) return 'it was through before';
        const again = outcome.calls.length - reference.calls.length;
        return `done elsewhere, equal to the byte; ${outcome.kept.length} answers kept, ${again} calls again`;
      });
    }
  });
} else describe.skip('a worker on PostgreSQL', () => faultCase(fault, 'at its writes', async () => ''));
