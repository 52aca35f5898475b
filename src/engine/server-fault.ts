import type { CharretteError } from '../base/errors.ts';
import { lacksDatabase, serverError } from './engine-errors.ts';
import { sharedPool } from './shared-pool.ts';

const patienceMs = 15_000;

/** Why the server of a shared store cannot be used now. A database that is missing is made by the first run. */
export async function serverFault(url: string): Promise<CharretteError | undefined> {
  const pool = sharedPool(url, { patienceMs, connections: 1 });
  try {
    await pool.query('SELECT 1');
    return undefined;
  } catch (cause) {
    return lacksDatabase(cause) ? undefined : serverError(cause);
  } finally {
    await pool.end();
  }
}
