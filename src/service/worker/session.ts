import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../../agents/settings.ts';
import { raceAbort } from '../../engine/abort.ts';
import type { Engine } from '../../engine/engine.ts';
import { livingHolder } from '../../engine/lock.ts';
import { claimRuns, handBack, heldRuns, type QueueLimits } from '../../engine/queue/claim.ts';
import type { Queue } from '../../engine/queue/queue.ts';
import { forgetEnded } from '../../engine/queue/queued-run.ts';
import type { CallLimit } from '../../engine/queue/turns.ts';
import { runDirectoryOf } from '../../engine/run-directory.ts';
import { updateRunRecord } from '../../engine/run-record.ts';
import { openStories } from '../../workflows/open.ts';
import { codeVersion } from '../../workflows/version.ts';
import { AgentRateLimiter } from './agent-rate-limiter.ts';
import { ClaimedRuns } from './claimed-runs.ts';
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
  readonly #line: StoreRetry;
  readonly #held: ClaimedRuns;
  readonly #taking: RunStarter;
  readonly #hearing: MessageHandler;
  readonly #turns: AgentRateLimiter;
  readonly #presence: WorkerHeartbeat;
  #engine: Engine | undefined;
  #countedAt = performance.now();

  private constructor(options: WorkerOptions, report: (event: WorkerEvent) => void) {
    const { queue, limit, limits } = options;
    this.#options = options;
    this.#report = report;
    const [lost, drained] = [this.#lost.signal, this.#drained.signal];
    const engine = () => this.#engine;
    const lose = () => this.#lose();
    this.#line = new StoreRetry(report, { lost, drained });
    this.#held = new ClaimedRuns({ queue, line: this.#line, report, lost, lose, engine });
    const over = AbortSignal.any([lost, drained]);
    this.#taking = new RunStarter({
      queue,
      held: this.#held,
      report,
      engine,
      lose,
      stop: options.signal,
      over,
    });
    this.#hearing = new MessageHandler({ queue, held: this.#held, engine, limit, limits });
    this.#turns = new AgentRateLimiter(queue, this.#id, options.agents);
    this.#presence = new WorkerHeartbeat({ ...options, worker: this.#id, line: this.#line, report, lose });
  }

  static async begin(options: WorkerOptions, report: (event: WorkerEvent) => void): Promise<WorkerSession> {
    const incarnation = new WorkerSession(options, report);
    await incarnation.#open();
    return incarnation;
  }

  async #open(): Promise<void> {
    const { places, url, world, parallel, configFile } = this.#options;
    const [first] = places;
    if (first === undefined) throw new Error('A worker needs a repository.');
    const configured = { agents: undefined, file: configFile };
    const opening = await openStories(first.home, { url }, world, configured, {
      guard: {
        ready: (stop) => this.#presence.fresh(stop),
        keep: (live) => this.#held.keep(live),
        answered: (run, answers) => this.#held.answered(run, answers),
        changed: (run, state) => this.#held.changed(run, state),
        troubled: (run, error) => this.#held.trouble(run, error),
      },
      agentsIn: (project) => places.find(({ home }) => home.project === project)?.roster ?? [],
      turn: (agent, signal, body) => this.#turns.within(agent, signal, body),
      parallel,
    });
    if (!opening.opened) throw new Error('A shared store has no holder.');
    this.#engine = opening.engine;
    try {
      await this.#presence.appear();
    } catch (error) {
      // The next try needs the durable engine for itself.
      await opening.engine.close();
      throw error;
    }
  }

  /** Sends heartbeats, claims runs and handles messages until told to stop or removed by the others. */
  async work(): Promise<WorkerSessionEnd> {
    const { signal } = this.#options;
    const round = () => void this.#presence.lookAround(() => this.#alsoDue());
    const rounds = setInterval(round, this.#presence.everyMs);
    const sweeps = setInterval(() => void this.#sweep(), sweepMs);
    void this.#sweep();
    const either = AbortSignal.any([signal, this.#lost.signal]);
    let attending = Promise.resolve();
    try {
      while (!either.aborted) {
        attending = this.#attend();
        // A store that is away must not keep it from hearing that it shall go.
        await raceAbort(attending, either);
        await sleep(pollMs, undefined, { signal: either }).catch(() => {});
      }
      return this.#lost.signal.aborted ? await this.#giveUp() : await this.#goHome(attending);
    } finally {
      clearInterval(rounds);
      clearInterval(sweeps);
      await this.#presence.stop();
    }
  }

  /** One poll of the queue. */
  async #attend(): Promise<void> {
    try {
      // Runs that were answered go before new ones.
      await this.#hearing.look();
      await this.#claim();
      await this.#count();
      this.#line.answers();
    } catch (error) {
      this.#line.fails(error);
    }
  }

  async #claim(): Promise<void> {
    const { queue, labels, limit, limits } = this.#options;
    const room = Math.min(limit - this.#held.busy, limit * heldPerPlace - this.#held.all.length);
    if (room <= 0 || this.#taking.rests) return;
    const worker = { id: this.#id, labels, places: this.#presence.places, codeVersion };
    const claims = await claimRuns(
      queue,
      worker,
      limits,
      room,
      (run, { home }) => livingHolder(runDirectoryOf(home, run).lock)?.pid,
    );
    for (const claim of claims) this.#taking.take(claim);
  }

  /** Requeues what the queue believes to be here and is not. Only called where no claim is in progress. */
  async #count(): Promise<void> {
    const { queue } = this.#options;
    if (performance.now() - this.#countedAt < this.#presence.everyMs) return;
    this.#countedAt = performance.now();
    for (const { run, epoch } of await heldRuns(queue, this.#id)) {
      if (this.#held.find(run) !== undefined) continue;
      await handBack(queue, { run, epoch }, 'its worker did not know that it had it');
      this.#report({ type: 'run-requeued', run });
    }
  }

  async #alsoDue(): Promise<void> {
    this.#held.keepNews();
    await this.#turns.endLeft();
  }

  async #sweep(): Promise<void> {
    await forgetEnded(this.#options.queue, this.#options.keepDays).catch(() => {});
  }

  #lose(): void {
    if (this.#lost.signal.aborted) return;
    this.#lost.abort();
    this.#engine?.abandon();
    this.#report({ type: 'worker-lost', worker: this.#id, runs: this.#held.ids });
  }

  /** Its runs belong to others: everything ends at once, and nothing is written any more. */
  async #giveUp(): Promise<WorkerSessionEnd> {
    this.#held.clear();
    await this.#engine?.close();
    return { reason: 'lost', ended: this.#held.ended, back: 0 };
  }

  /** Waits for calls in progress, then requeues the runs. */
  async #goHome(attending: Promise<void>): Promise<WorkerSessionEnd> {
    const { drainSeconds } = this.#options;
    const timer = setTimeout(() => this.#drained.abort(), drainSeconds * 1000);
    const limit = AbortSignal.any([this.#drained.signal, this.#lost.signal]);
    await this.#rest(attending, limit);
    const over = this.#lost.signal.aborted ? [] : this.#held.over;
    const open = this.#lost.signal.aborted ? [] : this.#held.all.filter((held) => !over.includes(held));
    for (const { entry, placed, directory, live } of open) {
      if (placed)
        await updateRunRecord(directory, { status: 'queued', process: undefined }).catch((error) =>
          this.#held.trouble(entry.run, error),
        );
      await live?.keep().catch(() => {});
    }
    await this.#engine?.close();
    await Promise.all(over.map((held) => this.#held.finish(held).catch(() => {})));
    const back = await Promise.all(open.map((held) => this.#held.giveBack(held, 'its worker was stopped')));
    clearTimeout(timer);
    await this.#presence.leave().catch(() => {});
    // Whatever still waits for the store waits for nothing.
    this.#drained.abort();
    const end = { ended: this.#held.ended, back: back.filter(Boolean).length };
    this.#report({ type: 'worker-end', worker: this.#id, ...end });
    return { reason: 'stopped', ...end };
  }

  /** Starts nothing more; what is in progress, also runs that are just being started, has until the limit to end. */
  async #rest(attending: Promise<void>, limit: AbortSignal): Promise<void> {
    // An ended run is not stopped: nothing may follow its last event.
    for (const { live } of this.#held.over) void live?.stop();
    const taken = attending.then(() => this.#taking.settled());
    await Promise.all([this.#engine?.rest(limit), raceAbort(taken, limit)]);
    await this.#engine?.rest(limit);
  }
}
