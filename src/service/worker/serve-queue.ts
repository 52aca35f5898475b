import { setTimeout as sleep } from 'node:timers/promises';
import { toCharretteError } from '../../base/errors.ts';
import { type WorkerOptions, WorkerSession } from './session.ts';
import type { WorkerEvent } from './worker-event.ts';

export type WorkerSummary = { ended: number; back: number };

/**
 * Claims runs from the queue and executes them until told to stop. A worker that the others removed has lost its runs
 * and starts again under another name.
 */
export async function serveQueue(
  options: WorkerOptions,
  report: (event: WorkerEvent) => void,
): Promise<WorkerSummary> {
  const sum = { ended: 0, back: 0 };
  let first = true;
  for (;;) {
    const incarnation = first
      ? await WorkerSession.begin(options, report)
      : await beginAgain(options, report);
    if (incarnation === undefined) return sum;
    first = false;
    const end = await incarnation.work();
    sum.ended += end.ended;
    sum.back += end.back;
    if (end.reason === 'stopped') return sum;
  }
}

const retryDelayMs = 1000;

/** Starts the next session as soon as the database allows it; `undefined` when told to stop before. */
async function beginAgain(
  options: WorkerOptions,
  report: (event: WorkerEvent) => void,
): Promise<WorkerSession | undefined> {
  let said: string | undefined;
  while (!options.signal.aborted) {
    try {
      return await WorkerSession.begin(options, report);
    } catch (error) {
      const { message } = toCharretteError(error);
      if (message !== said) report({ type: 'database-unreachable', message });
      said = message;
      await sleep(retryDelayMs, undefined, { signal: options.signal }).catch(() => {});
    }
  }
  return undefined;
}
