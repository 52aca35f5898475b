import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomicSync } from '../../base/files/atomic.ts';
import type { EventBody, RunEvent } from '../../engine/event.ts';
import { readLedger } from '../../engine/ledger.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { relayRuns } from '../relay.ts';

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

/** Events, calls and files of the worker become those of this run while it works; ids are those of the worker. */
export async function relayWorker<Result>(
  live: LiveRun,
  worker: RunDirectory,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await relayRuns(
      live,
      [{ directory: worker, tell: (event) => tellHere(live, worker, event) }],
      work,
    );
  } finally {
    takeCalls(live, worker);
  }
}

function tellHere(live: LiveRun, worker: RunDirectory, event: RunEvent): void {
  if (!relayed.includes(event.type)) return;
  // This run has said so before it started the worker.
  if (event.type === 'phase-start' && event.phase === '2a') return;
  const { v, id: own, run, seq, time, ...body } = event;
  const id = `heavy ${own}`;
  if (event.type === 'artifact-write' && live.events.find(id) === undefined) show(live, worker, event.name);
  live.events.emit(id, body as EventBody);
  if (event.type === 'lane-end') takeCalls(live, worker);
}

function takeCalls(live: LiveRun, worker: RunDirectory): void {
  for (const entry of readLedger(worker.ledger)) live.ledger.add(entry);
}

/** What the worker has written so far can be looked at here before it is through. */
function show(live: LiveRun, worker: RunDirectory, name: string): void {
  const file = path.join(worker.artifacts, path.basename(name));
  if (existsSync(file))
    writeFileAtomicSync(path.join(live.directory.artifacts, path.basename(name)), readFileSync(file, 'utf8'));
}
