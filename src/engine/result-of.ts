import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { retriablePostgresException } from '@dbos-inc/dbos-sdk/internal/system_database';

const pauseMs = 200;

/**
 * The result of a workflow. The durable engine waits for a store that is away wherever it writes, but not where it waits
 * for a result: there the lost connection would count as how the workflow ended.
 */
export async function resultOf<Result>(workflow: string, get: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await get();
    } catch (error) {
      if (!retriablePostgresException(error)) throw error;
      // It may also be what the workflow itself failed with.
      if ((await DBOS.getWorkflowStatus(workflow))?.status === 'ERROR') return get();
      await sleep(pauseMs);
    }
  }
}
