// The heartbeat thread of a worker, started by heartbeat.ts. It has a separate connection: a worker whose event loop or
// whose other connections are busy is slow, not gone.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { sharedPool } from '../pools.ts';
import type { BeatNews, HeartbeatData } from './heartbeat.ts';
import { beat } from './workers.ts';

const { url, worker, silentMs, everyMs, hungMs, shared } = workerData as HeartbeatData;
const signs = new BigInt64Array(shared);
// A third of its patience is how long a connection may owe an answer.
const pool = sharedPool(url, { patienceMs: silentMs * 1.5, connections: 1, name: 'charrette heartbeat' });
const tell = (news: BeatNews) => parentPort?.postMessage(news);

for (;;) {
  const sent = process.hrtime.bigint();
  // A process that hangs is gone, though this thread lives.
  if (sent - Atomics.load(signs, 0) < BigInt(hungMs) * 1_000_000n) {
    try {
      const gapSeconds = await beat({ pool }, worker);
      if (gapSeconds === undefined) {
        tell({ type: 'gone' });
        break;
      }
      Atomics.store(signs, 1, sent);
      tell({ type: 'beat', gapSeconds });
    } catch (error) {
      tell({ type: 'silent', message: error instanceof Error ? error.message || error.name : String(error) });
    }
  }
  await sleep(everyMs);
}
await pool.end();
