import { hostname } from 'node:os';
import { type BeatNews, beatEveryMs, Heartbeat } from '../../engine/queue/heartbeat.ts';
import { registerWorker, removeStaleWorkers, removeWorker, setPlaces } from '../../engine/queue/workers.ts';
import { codeVersion } from '../../workflows/create-run.ts';
import type { WorkerContext } from './claimed-runs.ts';
import { publicPlace, refreshPlace, type ServedPlace } from './places.ts';

type HeartbeatOptions = Pick<WorkerContext, 'queue' | 'database' | 'report' | 'lose'> & {
  url: string;
  worker: string;
  places: readonly ServedPlace[];
  labels: readonly string[];
  heartbeatTimeoutSeconds: number;
};

/** Sends the heartbeat of a worker, reports its clones, and removes workers that timed out. */
export class WorkerHeartbeat {
  readonly #options: HeartbeatOptions;
  #places: readonly ServedPlace[];
  #heart: Heartbeat | undefined;
  /** Since when heartbeats have been regular: a worker that was cut off itself cannot judge others. */
  #steadySince = performance.now();
  #checking = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#places = options.places;
  }

  get places(): readonly ServedPlace[] {
    return this.#places;
  }

  /** How long a round takes. */
  get everyMs(): number {
    return beatEveryMs(this.#options.heartbeatTimeoutSeconds * 1000);
  }

  async register(): Promise<void> {
    const { queue, url, worker, places, labels, heartbeatTimeoutSeconds, report } = this.#options;
    await registerWorker(queue, {
      worker,
      host: hostname(),
      pid: process.pid,
      labels: [...labels],
      places: places.map(publicPlace),
      codeVersion,
    });
    const silentMs = heartbeatTimeoutSeconds * 1000;
    this.#heart = new Heartbeat({ url, worker, silentMs, news: (news) => this.#receive(news) });
    report({
      type: 'worker-start',
      worker,
      places: places.map(({ repository, clone }) => ({ repository, clone })),
      labels: [...labels],
    });
  }

  /** Resolves once the heartbeat is fresh; rejects when the signal ends the waiting. */
  async fresh(signal: AbortSignal): Promise<void> {
    await this.#heart?.fresh(signal);
  }

  /** Reports which commits are checked out here, does what else is due, and removes workers that timed out. */
  async checkOthers(alsoDue: () => Promise<void>): Promise<void> {
    const { queue, worker, heartbeatTimeoutSeconds, database, report } = this.#options;
    // A slow round is not joined by the next.
    if (this.#checking || this.#heart?.isFresh !== true) return;
    this.#checking = true;
    try {
      const places = await Promise.all(this.#places.map(refreshPlace));
      const moved = places.some(({ head }, index) => head !== this.#places[index]?.head);
      this.#places = places;
      if (moved) await setPlaces(queue, worker, places.map(publicPlace));
      await alsoDue();
      // After an outage of the database all heartbeats are late; the others get a moment to recover.
      if (performance.now() - this.#steadySince < 2 * this.everyMs) return;
      const given = await removeStaleWorkers(queue, heartbeatTimeoutSeconds, worker);
      for (const gone of given) report({ type: 'worker-gone', ...gone });
    } catch (error) {
      database.fails(error);
    } finally {
      this.#checking = false;
    }
  }

  /** Unregisters the worker. */
  async unregister(): Promise<void> {
    await removeWorker(this.#options.queue, this.#options.worker);
  }

  async stop(): Promise<void> {
    await this.#heart?.stop();
  }

  #receive(news: BeatNews): void {
    const { heartbeatTimeoutSeconds, database, lose } = this.#options;
    if (news.type === 'gone') lose();
    else if (news.type === 'silent') database.fails(new Error(news.message));
    else if (news.gapSeconds > heartbeatTimeoutSeconds / 2) this.#steadySince = performance.now();
  }
}
