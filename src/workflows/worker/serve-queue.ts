import { Incarnation, type WorkerOptions } from './incarnation.ts';
import type { WorkerEvent } from './worker-event.ts';

export type WorkerSummary = { ended: number; back: number };

/**
 * Takes runs from the queue and works on them until told to stop. A worker that the others gave up has lost its runs
 * and begins anew under another name.
 */
export async function serveQueue(
  options: WorkerOptions,
  report: (event: WorkerEvent) => void,
): Promise<WorkerSummary> {
  const sum = { ended: 0, back: 0 };
  for (;;) {
    const incarnation = await Incarnation.begin(options, report);
    const end = await incarnation.work();
    sum.ended += end.ended;
    sum.back += end.back;
    if (end.reason === 'stopped') return sum;
  }
}
