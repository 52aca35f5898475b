import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../../agents/settings.ts';
import { toCharretteError } from '../../base/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import { raceAbort } from '../../engine/live-run.ts';
import { livingHolder } from '../../engine/lock.ts';
import type { CallLimit } from '../../engine/queue/call-slots.ts';
import { claimRuns, handBack, heldRuns, type QueueLimits } from '../../engine/queue/claim.ts';
import type { Queue } from '../../engine/queue/queue.ts';
import { forgetEnded } from '../../engine/queue/queued-run.ts';
import { runDirectoryOf } from '../../engine/run-directory.ts';
import { updateRunRecord } from '../../engine/run-record.ts';
import { codeVersion } from '../../workflows/create-run.ts';
import { openWorkflows } from '../../workflows/open.ts';
import { AgentRateLimiter } from './agent-rate-limiter.ts';
import { ClaimedRuns, type WorkerContext } from './claimed-runs.ts';
import { WorkerHeartbeat } from './heartbeat.ts';
import { MessageHandler } from './message-handler.ts';
import type { ServedPlace } from './places.ts';
import { RunStarter } from './run-starter.ts';
import { StoreRetry } from './store-retry.ts';
import type { WorkerEvent } from './worker-event.ts';

export type WorkerOptions = {
  queue: Queue;
  url: string;
  places: readonly ServedPlace[];
  labels: readonly string[];
  /** Runs in parallel here. */
  limit: number;
  /** Agent calls in parallel. */
  parallel: number;
  limits: QueueLimits;
  agents: Readonly<Record<string, CallLimit>>;
  heartbeatTimeoutSeconds: number;
  drainSeconds: number;
  keepDays: number;
  world: World;
  /** The file that --config names. */
  configFile?: string | undefined;
  signal: AbortSignal;
};

export type WorkerSessionEnd = { reason: 'stopped' | 'lost'; ended: number; back: number };

const pollMs = 200;
const sweepMs = 3_600_000;
/** Runs that a worker claims for each of its places; all but one of them wait for answers. */
const heldPerPlace = 16;

/** A worker from its first heartbeat to its last. Its runs are its own only while its heartbeat lasts. */
export class WorkerSession {
  readonly #options: WorkerOptions;
  readonly #report: (event: WorkerEvent) => void;
  readonly #id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly #lost = new AbortController();
  /** Aborted when the time for a stop is over. */
  readonly #drained = new AbortController();
  readonly #database: StoreRetry;
  readonly #claimed: ClaimedRuns;
  readonly #starter: RunStarter;
  readonly #messages: MessageHandler;
  readonly #limiter: AgentRateLimiter;
  readonly #heartbeat: WorkerHeartbeat;
  #engine: Engine | undefined;
  #countedAt = performance.now();

  private constructor(options: WorkerOptions, report: (event: WorkerEvent) => void) {
    const { queue } = options;
    this.#options = options;
    this.#report = report;
    const [lost, drained] = [this.#lost.signal, this.#drained.signal];
    this.#database = new StoreRetry(report, { lost, drained });
    const worker: WorkerContext = {
      queue,
      database: this.#database,
      report,
      engine: () => this.#engine,
      lost,
      lose: () => this.#lose(),
    };
    this.#claimed = new ClaimedRuns(worker);
    const over = AbortSignal.any([lost, drained]);
    this.#starter = new RunStarter(worker, this.#claimed, { stop: options.signal, over });
    this.#messages = new MessageHandler(worker, this.#claimed, options);
    this.#limiter = new AgentRateLimiter(queue, this.#id, options.agents);
    this.#heartbeat = new WorkerHeartbeat({ ...options, ...worker, worker: this.#id });
  }

  static async begin(options: WorkerOptions, report: (event: WorkerEvent) => void): Promise<WorkerSession> {
    const session = new WorkerSession(options, report);
    await session.#open();
    return session;
  }

  async #open(): Promise<void> {
    const { places, url, world, parallel, configFile } = this.#options;
    const [first] = places;
    if (first === undefined) throw new Error('A worker needs a repository.');
    const configured = { agents: undefined, file: configFile };
    const opening = await openWorkflows(first.home, { url }, world, configured, {
      guard: {
        ready: (stop) => this.#heartbeat.fresh(stop),
        keep: (live) => this.#claimed.keep(live),
        answered: (run, answers) => this.#claimed.answered(run, answers),
        changed: (run, state) => this.#claimed.changed(run, state),
        troubled: (run, error) => this.#claimed.trouble(run, error),
      },
      agentsIn: (project) => places.find(({ home }) => home.project === project)?.roster ?? [],
      turn: (agent, signal, body) => this.#limiter.within(agent, signal, body),
      parallel,
    });
    if (!opening.opened) throw new Error('A shared store has no holder.');
    this.#engine = opening.engine;
    try {
      await this.#heartbeat.register();
    } catch (error) {
      // The next try needs the durable engine for itself.
      await opening.engine.close();
      throw error;
    }
  }

  /** Sends heartbeats, claims runs and handles messages until told to stop or removed by the others. */
  async work(): Promise<WorkerSessionEnd> {
    const { signal } = this.#options;
    const round = () => void this.#heartbeat.checkOthers(() => this.#alsoDue());
    const rounds = setInterval(round, this.#heartbeat.everyMs);
    const sweeps = setInterval(() => void this.#sweep(), sweepMs);
    void this.#sweep();
    const either = AbortSignal.any([signal, this.#lost.signal]);
    let polling = Promise.resolve();
    try {
      while (!either.aborted) {
        polling = this.#poll();
        // A store that is away must not keep it from hearing that it shall go.
        await raceAbort(polling, either);
        await sleep(pollMs, undefined, { signal: either }).catch(() => {});
      }
      return this.#lost.signal.aborted ? await this.#abandon() : await this.#drain(polling);
    } finally {
      clearInterval(rounds);
      clearInterval(sweeps);
      await this.#heartbeat.stop();
    }
  }

  /** One poll of the queue. */
  async #poll(): Promise<void> {
    try {
      // Runs that were answered go before new ones.
      await this.#messages.poll();
      await this.#claim();
      await this.#count();
      this.#database.answers();
    } catch (error) {
      this.#database.fails(error);
    }
  }

  async #claim(): Promise<void> {
    const { queue, labels, limit, limits } = this.#options;
    const room = Math.min(limit - this.#claimed.busy, limit * heldPerPlace - this.#claimed.all.length);
    if (room <= 0 || this.#starter.rests) return;
    const worker = { id: this.#id, labels, places: this.#heartbeat.places, codeVersion };
    const claims = await claimRuns(
      queue,
      worker,
      limits,
      room,
      (run, { home }) => livingHolder(runDirectoryOf(home, run).lock)?.pid,
    );
    for (const claim of claims) this.#starter.start(claim);
  }

  /** Requeues what the queue believes to be here and is not. Only called where no claim is in progress. */
  async #count(): Promise<void> {
    const { queue } = this.#options;
    if (performance.now() - this.#countedAt < this.#heartbeat.everyMs) return;
    this.#countedAt = performance.now();
    for (const { run, epoch } of await heldRuns(queue, this.#id)) {
      if (this.#claimed.find(run) !== undefined) continue;
      await handBack(queue, { run, epoch }, 'its worker did not know that it had it');
      this.#report({ type: 'run-requeued', run });
    }
  }

  async #alsoDue(): Promise<void> {
    this.#claimed.keepNews();
    await this.#limiter.endLeft();
  }

  async #sweep(): Promise<void> {
    await forgetEnded(this.#options.queue, this.#options.keepDays).catch(() => {});
  }

  #lose(): void {
    if (this.#lost.signal.aborted) return;
    this.#lost.abort();
    this.#engine?.abandon();
    this.#report({ type: 'worker-lost', worker: this.#id, runs: this.#claimed.ids });
  }

  /** Its runs belong to others: everything ends at once, and nothing is written any more. */
  async #abandon(): Promise<WorkerSessionEnd> {
    this.#claimed.clear();
    await this.#engine?.close();
    return { reason: 'lost', ended: this.#claimed.ended, back: 0 };
  }

  /** Waits for calls in progress, then requeues the runs. */
  async #drain(polling: Promise<void>): Promise<WorkerSessionEnd> {
    const { drainSeconds } = this.#options;
    const timer = setTimeout(() => this.#drained.abort(), drainSeconds * 1000);
    const limit = AbortSignal.any([this.#drained.signal, this.#lost.signal]);
    await this.#rest(polling, limit);
    const over = this.#lost.signal.aborted ? [] : this.#claimed.over;
    const open = this.#lost.signal.aborted ? [] : this.#claimed.all.filter((held) => !over.includes(held));
    for (const { entry, placed, directory, live } of open) {
      if (placed)
        await updateRunRecord(directory, { status: 'queued', process: undefined }).catch((error) =>
          this.#claimed.trouble(entry.run, error),
        );
      await live?.keep().catch(() => {});
    }
    await this.#engine?.close();
    await Promise.all(over.map((held) => this.#claimed.finish(held).catch(() => {})));
    const back = await Promise.all(open.map((held) => this.#claimed.requeue(held, 'its worker was stopped')));
    clearTimeout(timer);
    await this.#heartbeat.unregister().catch(() => {});
    // Whatever still waits for the store waits for nothing.
    this.#drained.abort();
    const end = { ended: this.#claimed.ended, back: back.filter(Boolean).length };
    this.#report({ type: 'worker-end', worker: this.#id, ...end });
    return { reason: 'stopped', ...end };
  }

  /** Starts nothing more; what is in progress, also runs that are just being started, has until the limit to end. */
  async #rest(polling: Promise<void>, limit: AbortSignal): Promise<void> {
    // An ended run is not stopped: nothing may follow its last event.
    for (const { live } of this.#claimed.over) void live?.stop();
    const taken = polling.then(() => this.#starter.settled());
    await Promise.all([this.#engine?.rest(limit), raceAbort(taken, limit)]);
    await this.#engine?.rest(limit);
  }
}

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
