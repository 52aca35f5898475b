import { toCharretteError } from '../../base/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import type { GuardedState, LiveRun } from '../../engine/live-run.ts';
import { type Answer, readQuestions, unanswered } from '../../engine/question.ts';
import { type Claim, handBack, setState } from '../../engine/queue/claim.ts';
import { type QueueMessage, sendMessage } from '../../engine/queue/messages.ts';
import { RunLostError, RunMirror } from '../../engine/queue/mirror.ts';
import type { Queue } from '../../engine/queue/queue.ts';
import { type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync } from '../../engine/run-record.ts';
import type { ServedPlace } from './places.ts';
import type { StoreRetry } from './store-retry.ts';
import type { WorkerEvent } from './worker-event.ts';

/** What the parts of a worker share. */
export type WorkerContext = {
  queue: Queue;
  database: StoreRetry;
  report: (event: WorkerEvent) => void;
  engine: () => Engine | undefined;
  /** Aborted when the runs belong to other workers. */
  lost: AbortSignal;
  /** Called when the worker was removed, or a run turns out to be another worker's. */
  lose: () => void;
};

/** A run that this worker claimed. */
export type Held = Claim<ServedPlace> & {
  directory: RunDirectory;
  /** As the queue knows it. */
  state: Exclude<GuardedState, 'ended'>;
  /** The directory here is the newest of the run. */
  placed: boolean;
  /** The engine has it. */
  begun: boolean;
  mirror: RunMirror;
  live?: LiveRun;
  /** How many events had been kept. */
  kept: number;
  /** Reports to the queue, one after another. */
  telling: Promise<void>;
  ending?: Promise<void>;
};

/** The runs that a worker claimed: reports their state to the queue and keeps their files in the store. */
export class ClaimedRuns {
  readonly #worker: WorkerContext;
  readonly #held = new Map<string, Held>();
  /** How many came to their end here. */
  ended = 0;

  constructor(worker: WorkerContext) {
    this.#worker = worker;
  }

  get ids(): string[] {
    return [...this.#held.keys()];
  }

  get all(): Held[] {
    return [...this.#held.values()];
  }

  /** Runs that use a place of this worker; waiting ones do not. */
  get busy(): number {
    return this.all.filter(({ state, ending }) => state === 'running' && ending === undefined).length;
  }

  find(run: string): Held | undefined {
    return this.#held.get(run);
  }

  hold(claim: Claim<ServedPlace>): Held {
    const directory = runDirectoryOf(claim.place.home, claim.entry.run);
    const held: Held = {
      ...claim,
      directory,
      state: 'running',
      placed: false,
      begun: false,
      mirror: new RunMirror(this.#worker.queue, claim.entry, directory.root, claim.entry.travels),
      kept: 0,
      telling: Promise.resolve(),
    };
    this.#held.set(claim.entry.run, held);
    return held;
  }

  clear(): void {
    this.#held.clear();
  }

  /** Receives from the engine that a run waits, continues or has ended. */
  changed(run: string, state: GuardedState): void {
    const held = this.#held.get(run);
    if (held === undefined || held.ending !== undefined) return;
    const tell = () => (state === 'waiting' ? this.#reportWaiting(held) : this.#reportRunning(held));
    const told =
      state === 'ended'
        ? this.end(held)
        : held.telling.then(() => (held.ending === undefined ? tell() : undefined));
    const reported = told.catch((error) => this.trouble(run, error));
    if (state !== 'ended') held.telling = reported;
  }

  /** Sends answers from the directory to the queue like all others: the run may have to wait for a place. */
  async answered(run: string, answers: readonly Answer[]): Promise<void> {
    const message: QueueMessage = { type: 'answer', answers: [...answers] };
    if (this.#held.has(run))
      await this.#worker.database.untilSaved(() => sendMessage(this.#worker.queue, run, message));
    else await this.#worker.engine()?.answer(run, answers);
  }

  trouble(run: string, error: unknown): undefined {
    if (!this.#worker.lost.aborted)
      this.#worker.report({ type: 'run-error', run, message: toCharretteError(error).message });
  }

  async #reportRunning(held: Held): Promise<void> {
    const { run } = held.entry;
    await held.live?.keep().catch(() => {});
    if (
      !(await this.#worker.database.untilSaved(() =>
        setState(this.#worker.queue, held.entry, 'running', 'running'),
      ))
    )
      return;
    held.state = 'running';
    this.#worker.report({ type: 'run-continue', run });
  }

  /** A run that takes recommended answers continues here without releasing its place. */
  async #reportWaiting(held: Held): Promise<void> {
    const { run } = held.entry;
    if (recordOf(held)?.queue?.yes === true) {
      const answered = this.#answerRecommended(held).catch((error) => this.trouble(run, error));
      if ((await answered) === true) return;
    }
    // The question must be in the store before the queue says that the run waits.
    await held.live?.keep().catch(() => {});
    if (
      !(await this.#worker.database.untilSaved(() =>
        setState(this.#worker.queue, held.entry, 'waiting', 'paused'),
      ))
    )
      return;
    held.state = 'waiting';
    this.#worker.report({ type: 'run-ask', run });
  }

  async #answerRecommended({ entry, directory }: Held): Promise<boolean> {
    const questions = unanswered(readQuestions(directory));
    const answers = questions.flatMap(({ id, recommended }): Answer[] =>
      recommended === undefined ? [] : [{ question: id, value: recommended, source: 'recommended' }],
    );
    if (answers.length === 0 || answers.length < questions.length) return false;
    await this.#worker.engine()?.answer(entry.run, answers);
    return true;
  }

  /** Reports to the queue how a run ended, by default as its record says. */
  end(held: Held, status?: RunRecord['status']): Promise<void> {
    held.ending ??= this.#end(held, status);
    return held.ending;
  }

  async #end(held: Held, status: RunRecord['status'] | undefined): Promise<void> {
    // Nothing may follow its last event.
    void held.live?.stop();
    await held.telling;
    const said = status ?? recordOf(held)?.status ?? 'failed';
    if (
      !(await this.#worker.database.untilSaved(() => setState(this.#worker.queue, held.entry, 'ended', said)))
    )
      return;
    this.#held.delete(held.entry.run);
    this.ended += 1;
    this.#worker.report({ type: 'run-end', run: held.entry.run, status: said });
  }

  /** Runs whose end is recorded: they are neither stopped nor requeued. */
  get over(): Held[] {
    return this.all.filter((held) => {
      const status = held.begun ? recordOf(held)?.status : undefined;
      return held.ending !== undefined || (status !== undefined && isFinal(status));
    });
  }

  /** Ends a run whose end is recorded, as soon as the store has all of it. */
  async finish(held: Held): Promise<void> {
    if (held.ending === undefined) await held.live?.keep();
    await this.end(held);
  }

  /** Requeues a run. False: the database cannot be reached; other workers requeue the run once this one times out. */
  async requeue(held: Held, note: string, behind = false): Promise<boolean> {
    const { run } = held.entry;
    try {
      if (
        !(await this.#worker.database.untilSaved(() =>
          handBack(this.#worker.queue, held.entry, note, behind),
        ))
      )
        return false;
    } catch {
      return false;
    }
    this.#held.delete(run);
    this.#worker.report({ type: 'run-requeued', run });
    return true;
  }

  /** A step counts only once other workers can find what it wrote; for a lost run it never does. */
  async keep(live: LiveRun): Promise<void> {
    const { id } = live.directory;
    const held = this.all.find(({ entry }) => entry.run === id || id.startsWith(`${entry.run}-`));
    const count = live.events.count;
    if (held === undefined) {
      // It has ended here; later writes have no effect.
      void live.stop();
      throw new RunLostError(id);
    }
    try {
      if (held.entry.run === id) held.live = live;
      await this.#worker.database.untilSaved(() => held.mirror.keep());
      held.kept = count;
    } catch (error) {
      if (error instanceof RunLostError) this.#worker.lose();
      else throw error;
    }
    if (!this.#worker.lost.aborted) return;
    void live.stop();
    throw new RunLostError(id);
  }

  /** Copies to the store what was written between steps, for people elsewhere. */
  keepNews(): void {
    for (const { entry, live, kept } of this.all)
      if (entry.travels && live !== undefined && !live.stopping && live.events.count !== kept)
        void live.keep().catch(() => {});
  }
}

/** The record, if it can be read. */
export function recordOf({ directory }: Held): RunRecord | undefined {
  try {
    return readRunRecordSync(directory);
  } catch {
    return undefined;
  }
}
