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

/** A run that the queue gave to this worker. */
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
  /** What the queue is being told of it, one after another. */
  telling: Promise<void>;
  ending?: Promise<void>;
};

/** The runs that a worker holds: what the queue is told of them, and what the store keeps of their files. */
export class ClaimedRuns {
  readonly #queue: Queue;
  readonly #line: StoreRetry;
  readonly #report: (event: WorkerEvent) => void;
  readonly #lost: AbortSignal;
  readonly #lose: () => void;
  readonly #engine: () => Engine | undefined;
  readonly #held = new Map<string, Held>();
  /** How many came to their end here. */
  ended = 0;

  constructor(options: {
    queue: Queue;
    line: StoreRetry;
    report: (event: WorkerEvent) => void;
    lost: AbortSignal;
    /** Called when a run turns out to be another worker's. */
    lose: () => void;
    engine: () => Engine | undefined;
  }) {
    this.#queue = options.queue;
    this.#line = options.line;
    this.#report = options.report;
    this.#lost = options.lost;
    this.#lose = options.lose;
    this.#engine = options.engine;
  }

  get ids(): string[] {
    return [...this.#held.keys()];
  }

  get all(): Held[] {
    return [...this.#held.values()];
  }

  /** Runs that take up a place; those that ask do not. */
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
      mirror: new RunMirror(this.#queue, claim.entry, directory.root, claim.entry.travels),
      kept: 0,
      telling: Promise.resolve(),
    };
    this.#held.set(claim.entry.run, held);
    return held;
  }

  clear(): void {
    this.#held.clear();
  }

  /** Hears from the engine that a run asks, goes on or has ended. */
  changed(run: string, state: GuardedState): void {
    const held = this.#held.get(run);
    if (held === undefined || held.ending !== undefined) return;
    const tell = () => (state === 'waiting' ? this.#tellAsking(held) : this.#tellAtWork(held));
    const told =
      state === 'ended'
        ? this.end(held)
        : held.telling.then(() => (held.ending === undefined ? tell() : undefined));
    const heard = told.catch((error) => this.trouble(run, error));
    if (state !== 'ended') held.telling = heard;
  }

  /** Answers that were left in the directory go the way of all others: the run may have to wait for a place. */
  async answered(run: string, answers: readonly Answer[]): Promise<void> {
    const message: QueueMessage = { type: 'answer', answers: [...answers] };
    if (this.#held.has(run)) await this.#line.untilSaved(() => sendMessage(this.#queue, run, message));
    else await this.#engine()?.answer(run, answers);
  }

  trouble(run: string, error: unknown): undefined {
    if (!this.#lost.aborted)
      this.#report({ type: 'run-error', run, message: toCharretteError(error).message });
  }

  async #tellAtWork(held: Held): Promise<void> {
    const { run } = held.entry;
    await held.live?.keep().catch(() => {});
    if (!(await this.#line.untilSaved(() => setState(this.#queue, held.entry, 'running', 'running')))) return;
    held.state = 'running';
    this.#report({ type: 'run-continue', run });
  }

  /** One that takes recommended answers goes on where it is, without giving its place away. */
  async #tellAsking(held: Held): Promise<void> {
    const { run } = held.entry;
    if (recordOf(held)?.queue?.yes === true) {
      const answered = this.#answerRecommended(held).catch((error) => this.trouble(run, error));
      if ((await answered) === true) return;
    }
    // What people are to look at goes first.
    await held.live?.keep().catch(() => {});
    if (!(await this.#line.untilSaved(() => setState(this.#queue, held.entry, 'waiting', 'paused')))) return;
    held.state = 'waiting';
    this.#report({ type: 'run-ask', run });
  }

  async #answerRecommended({ entry, directory }: Held): Promise<boolean> {
    const questions = unanswered(readQuestions(directory));
    const answers = questions.flatMap(({ id, recommended }): Answer[] =>
      recommended === undefined ? [] : [{ question: id, value: recommended, source: 'recommended' }],
    );
    if (answers.length === 0 || answers.length < questions.length) return false;
    await this.#engine()?.answer(entry.run, answers);
    return true;
  }

  /** Tells the queue how a run ended; without a status as its record has it. */
  end(held: Held, status?: RunRecord['status']): Promise<void> {
    held.ending ??= this.#end(held, status);
    return held.ending;
  }

  async #end(held: Held, status: RunRecord['status'] | undefined): Promise<void> {
    // Nothing comes after its last event, whatever the worker is told meanwhile.
    void held.live?.stop();
    await held.telling;
    const said = status ?? recordOf(held)?.status ?? 'failed';
    if (!(await this.#line.untilSaved(() => setState(this.#queue, held.entry, 'ended', said)))) return;
    this.#held.delete(held.entry.run);
    this.ended += 1;
    this.#report({ type: 'run-end', run: held.entry.run, status: said });
  }

  /** Runs whose end is on record: they are not stopped any more, and not given back. */
  get over(): Held[] {
    return this.all.filter((held) => {
      const status = held.begun ? recordOf(held)?.status : undefined;
      return held.ending !== undefined || (status !== undefined && isFinal(status));
    });
  }

  /** Ends a run whose end is on record, as soon as the store has all of it. */
  async finish(held: Held): Promise<void> {
    if (held.ending === undefined) await held.live?.keep();
    await this.end(held);
  }

  /** Gives a run back to the queue. False: the store does not answer; the others take it from a worker that fell silent. */
  async giveBack(held: Held, note: string, behind = false): Promise<boolean> {
    const { run } = held.entry;
    try {
      if (!(await this.#line.untilSaved(() => handBack(this.#queue, held.entry, note, behind)))) return false;
    } catch {
      return false;
    }
    this.#held.delete(run);
    this.#report({ type: 'run-requeued', run });
    return true;
  }

  /** Nothing that a run wrote counts before it is where other workers find it, and nothing of a lost run ever does. */
  async keep(live: LiveRun): Promise<void> {
    const { id } = live.directory;
    const held = this.all.find(({ entry }) => entry.run === id || id.startsWith(`${entry.run}-`));
    const count = live.events.count;
    if (held === undefined) {
      // It has ended here; what still comes in of it is of no use.
      void live.stop();
      throw new RunLostError(id);
    }
    try {
      if (held.entry.run === id) held.live = live;
      await this.#line.untilSaved(() => held.mirror.keep());
      held.kept = count;
    } catch (error) {
      if (error instanceof RunLostError) this.#lose();
      else throw error;
    }
    if (!this.#lost.aborted) return;
    void live.stop();
    throw new RunLostError(id);
  }

  /** Lets people elsewhere see what was written between steps. */
  keepNews(): void {
    for (const { entry, live, kept } of this.all)
      if (entry.travels && live !== undefined && !live.stopping && live.events.count !== kept)
        void live.keep().catch(() => {});
  }
}

/** The record, where there is one that can be read. */
export function recordOf({ directory }: Held): RunRecord | undefined {
  try {
    return readRunRecordSync(directory);
  } catch {
    return undefined;
  }
}
