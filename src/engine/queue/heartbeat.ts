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

/** A beat arrived, so long after the one before by the server's clock; the worker was given up; the server did not answer. */
export type BeatNews =
  | { type: 'beat'; gapSeconds: number }
  | { type: 'gone' }
  | { type: 'silent'; message: string };

/** How often a worker beats that is gone after such a silence. */
export function beatEveryMs(silentMs: number): number {
  return Math.min(3000, silentMs / 5);
}

/** A main thread that did nothing for so many times the silence hangs: nobody beats for it any more. */
const hungSilences = 4;
const signMs = 250;

/**
 * Beats for a worker in a thread of its own, so that a worker that is only busy stays. The main thread shows itself to it; when
 * it hangs for too long the beats end, and the others take its runs.
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
    /** How long the main thread may be busy; absent: a few silences. */
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

  /** Whether the others cannot have given this worker up by now. The clock goes on while the process is suspended. */
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

/** Beside this file among the sources; a file of its own in the built program, one folder up from its chunks. */
function threadFile(): URL {
  const names = ['./heartbeat-thread.ts', './heartbeat-thread.js', '../heartbeat-thread.js'];
  const found = names
    .map((name) => new URL(name, import.meta.url))
    .find((url) => existsSync(fileURLToPath(url)));
  if (found === undefined) throw new Error('The program is not whole: heartbeat-thread is missing.');
  return found;
}
