// What it costs to take a run from the queue, and what stays in it of one that has ended.
import { claimRuns, handBack, setState } from '../../src/engine/queue/claim.ts';
import { openQueue, type Queue } from '../../src/engine/queue/queue.ts';
import { enqueue, forgetEnded, type QueuedRun } from '../../src/engine/queue/queued-run.ts';
import { registerWorker } from '../../src/engine/queue/workers.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { percentile } from '../calibration.ts';

/** A claim while so many runs wait: three of four take longer. What else the machine does is not in it. */
export type ClaimCost = { waiting: number; milliseconds: number };

export type QueueCost = {
  claims: ClaimCost[];
  /** The same when a worker can do none of those that wait. */
  inVain: ClaimCost[];
  /** A worker with a free place looks so often, also when nothing waits. */
  emptyLookMs: number;
  endedRowBytes: number;
};

const sizes = [10, 1000, 10_000];
const endedRows = 2000;
const place = { repository: 'shop', clone: 'host:/shop', head: 'c'.repeat(40), agents: ['one', 'two'] };
const worker = { id: 'host-1-abcdef', labels: [], places: [place], codeVersion: '1' };

export async function measureQueue(repetitions: number): Promise<QueueCost> {
  const server = await startPostgres();
  try {
    const queue = await openQueue(server.url);
    try {
      await registerWorker(queue, {
        ...worker,
        worker: worker.id,
        host: 'host',
        pid: 1,
      });
      const emptyLookMs = await timed(queue, repetitions, worker);
      const [claims, inVain]: [ClaimCost[], ClaimCost[]] = [[], []];
      const other = { ...worker, places: [{ ...place, repository: 'other', clone: 'host:/other' }] };
      let waiting = 0;
      for (const size of sizes) {
        await fill(queue, waiting, size);
        waiting = size;
        // As a server does automatically every minute.
        await queue.pool.query('VACUUM ANALYZE charrette.runs');
        claims.push({ waiting, milliseconds: await timed(queue, repetitions, worker) });
        inVain.push({ waiting, milliseconds: await timed(queue, repetitions, other) });
      }
      return { claims, inVain, emptyLookMs, endedRowBytes: await endedRow(queue) };
    } finally {
      await queue.close();
    }
  } finally {
    await server.stop();
  }
}

async function timed(queue: Queue, repetitions: number, who: typeof worker): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < repetitions; turn += 1) {
    const begun = performance.now();
    const claims = await claimRuns(queue, who, {}, 1, () => undefined);
    times.push(performance.now() - begun);
    for (const { entry } of claims) await handBack(queue, entry, 'measured');
  }
  return percentile(times, 25);
}

/** The row of a run that was worked on and whose files have left the store, indexes included. */
async function endedRow(queue: Queue): Promise<number> {
  await queue.pool.query('TRUNCATE charrette.runs CASCADE');
  await fill(queue, 0, endedRows);
  for (let left = endedRows; left > 0; ) {
    const claims = await claimRuns(queue, worker, {}, 200, () => undefined);
    if (claims.length === 0) throw new Error('nothing could be claimed');
    await Promise.all(claims.map(({ entry }) => setState(queue, entry, 'ended', 'done')));
    left -= claims.length;
  }
  await forgetEnded(queue, 0);
  await queue.pool.query('VACUUM FULL charrette.runs');
  const { rows } = await queue.pool.query("SELECT pg_total_relation_size('charrette.runs') AS bytes");
  return Number(rows[0].bytes) / endedRows;
}

function fill(queue: Queue, from: number, to: number): Promise<void> {
  return queue.transaction(async (client) => {
    for (let number = from; number < to; number += 1) await enqueue(client, queued(number));
  });
}

function queued(number: number): QueuedRun {
  return {
    run: `20260101-000000-let-customers-cancel-an-order-${String(number).padStart(8, '0')}`,
    workflow: 'design',
    title: 'let customers cancel an order before it is shipped',
    codeVersion: worker.codeVersion,
    repository: place.repository,
    clone: place.clone,
    travels: true,
    baseCommit: place.head,
    agents: place.agents,
    labels: [],
    priority: 0,
  };
}
