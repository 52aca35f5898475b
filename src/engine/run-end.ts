import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { retriablePostgresException } from '@dbos-inc/dbos-sdk/internal/system_database';
import type { RunRegistry } from './run-registry.ts';

const pauseMs = 200;

/**
 * The result of a workflow. The durable engine waits for a store that is away wherever it writes, but not where it waits
 * for a result: there the lost connection would count as how the workflow ended.
 */
export async function awaitWorkflowResult<Result>(
  workflow: string,
  get: () => Promise<Result>,
): Promise<Result> {
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

/** How often the store is asked about the end of a run; those that began here tell it themselves. */
const askStoreMs = { here: 5000, elsewhere: 1000 } as const;

/**
 * Resolves when the run has ended. This process sees its own runs end; the store knows of those that others end. `done` ends
 * the waiting.
 */
export async function waitForRunEnd(runs: RunRegistry, runId: string, done: AbortSignal): Promise<'end'> {
  const { handle: known, watch } = runs.of(runId);
  const over = watch.ended();
  const told =
    known === undefined
      ? over
      : Promise.race([
          over,
          awaitWorkflowResult(runId, () => known.getResult({ pollingIntervalMs: askStoreMs.here })),
        ]);
  const pauseMs = known === undefined ? askStoreMs.elsewhere : askStoreMs.here;
  let ended = false;
  const asked = async () => {
    while (!ended && !done.aborted) {
      await sleep(pauseMs, undefined, { signal: done }).catch(() => {});
      if (ended || done.aborted) return;
      const [found] = await DBOS.listWorkflows({
        workflowIDs: [runId],
        loadInput: false,
        loadOutput: false,
      }).catch(() => ['unknown'] as const);
      if (found === undefined) return;
      if (found !== 'unknown' && !['PENDING', 'ENQUEUED', 'DELAYED'].includes(found.status)) return;
    }
  };
  await Promise.race([told, asked()]).catch(() => {});
  ended = true;
  return 'end';
}
