import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** What the thread is given. `shared`: when the main thread last showed itself, when the last beat that arrived was sent. */
export type HeartbeatData = {
  url: string;
  worker: string;
  silentMs: number;
  everyMs: number;
  hungMs: number;
  shared: SharedArrayBuffer;
};

/** A heartbeat arrived, so long after the last by the server's clock; the worker was removed; the server was unreachable. */
export type BeatNews =
  | { type: 'beat'; gapSeconds: number }
  | { type: 'gone' }
  | { type: 'silent'; message: string };

/** How often a worker beats that is gone after such a silence. */
export function beatEveryMs(silentMs: number): number {
  return Math.min(3000, silentMs / 5);
}

/** A main thread that is blocked for so many timeouts hangs: its heartbeats end. */
const hungSilences = 4;
const signMs = 250;

/**
 * Sends the heartbeats of a worker from a separate thread, so that a busy worker stays registered. The main thread shows that it
 * is alive; when it hangs for too long the heartbeats end, and other workers claim its runs.
 */
export class Heartbeat {
  readonly #thread: Worker;
  readonly #silentMs: number;
  readonly #signs: BigInt64Array;
  readonly #timer: NodeJS.Timeout;
  #waiting: (() => void)[] = [];

  constructor(options: {
    url: string;
    worker: string;
    silentMs: number;
    /** How long the main thread may be busy; default: a few timeouts. */
    hungMs?: number;
    news: (news: BeatNews) => void;
  }) {
    const { url, worker, silentMs, hungMs, news } = options;
    const shared = new SharedArrayBuffer(16);
    this.#silentMs = silentMs;
    this.#signs = new BigInt64Array(shared).fill(process.hrtime.bigint());
    const data: HeartbeatData = {
      url,
      worker,
      silentMs,
      everyMs: beatEveryMs(silentMs),
      hungMs: hungMs ?? silentMs * hungSilences,
      shared,
    };
    // Nothing that was loaded into the process for another reason belongs there.
    this.#thread = new Worker(threadFile(), { workerData: data, execArgv: [] });
    this.#thread.on('message', (message: BeatNews) => {
      if (message.type === 'beat') for (const resolve of this.#waiting.splice(0)) resolve();
      news(message);
    });
    this.#thread.on('error', () => news({ type: 'gone' }));
    this.#thread.unref();
    this.#timer = setInterval(() => Atomics.store(this.#signs, 0, process.hrtime.bigint()), signMs);
  }

  /** Whether the others cannot have removed this worker yet. The clock continues while the process is suspended. */
  get isFresh(): boolean {
    const age = process.hrtime.bigint() - Atomics.load(this.#signs, 1);
    return age < BigInt(this.#silentMs) * 1_000_000n;
  }

  /** Resolves as soon as the worker is known to be one still; rejects when the signal ends the waiting. */
  async fresh(signal: AbortSignal): Promise<void> {
    while (!this.isFresh) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        this.#waiting.push(resolve);
      });
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#thread.removeAllListeners('message');
    await this.#thread.terminate();
  }
}

/** Next to this file among the sources; a separate file of the built program, one folder up from its chunks. */
function threadFile(): URL {
  const names = ['./heartbeat-thread.ts', './heartbeat-thread.js', '../heartbeat-thread.js'];
  const found = names
    .map((name) => new URL(name, import.meta.url))
    .find((url) => existsSync(fileURLToPath(url)));
  if (found === undefined) throw new Error('The program is not whole: heartbeat-thread is missing.');
  return found;
}
