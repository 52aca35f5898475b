import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EventBody, RunEvent } from '../../engine/event.ts';
import { readEvents } from '../../engine/event-log.ts';
import { followEvents } from '../../engine/follow.ts';
import { readLedger } from '../../engine/ledger.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { writeFileAtomicSync } from '../../files/atomic.ts';

/** What the worker tells is told here as well. Bodies come from its files, questions are asked by this run itself. */
const relayed: readonly RunEvent['type'][] = [
  'phase-start',
  'phase-end',
  'phase-skip',
  'warning',
  'note',
  'lane-queue',
  'lane-start',
  'lane-retry',
  'lane-end',
  'artifact-write',
];

/**
 * Tells the events of the worker as events of this run while it works, and its calls as calls of this run, until `work` is
 * over; everything is there then. Ids are those of the worker, so that going on tells nothing twice.
 */
export async function relayWorker<Result>(
  live: LiveRun,
  worker: RunDirectory,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const following = follow(live, worker, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await following;
  }
}

async function follow(live: LiveRun, worker: RunDirectory, signal: AbortSignal): Promise<void> {
  for await (const event of followEvents(worker.events, { signal })) tell(live, worker, event);
  // What came between the last look and the end of the worker.
  for (const event of readEvents(worker.events)) tell(live, worker, event);
  for (const entry of readLedger(worker.ledger)) live.ledger.add(entry);
}

function tell(live: LiveRun, worker: RunDirectory, event: RunEvent): void {
  if (!relayed.includes(event.type)) return;
  // This run has said so before it started the worker.
  if (event.type === 'phase-start' && event.phase === '2a') return;
  const { v, id: own, run, seq, time, ...body } = event;
  const id = `heavy ${own}`;
  if (event.type === 'artifact-write' && live.events.find(id) === undefined) show(live, worker, event.name);
  live.events.emit(id, body as EventBody);
  if (event.type === 'lane-end') for (const entry of readLedger(worker.ledger)) live.ledger.add(entry);
}

/** What the worker has written so far can be looked at here before it is through. */
function show(live: LiveRun, worker: RunDirectory, name: string): void {
  const file = path.join(worker.artifacts, path.basename(name));
  if (existsSync(file))
    writeFileAtomicSync(path.join(live.directory.artifacts, path.basename(name)), readFileSync(file, 'utf8'));
}
