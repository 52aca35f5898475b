import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { writeFileAtomic } from '../base/files/atomic.ts';
import type { Clock } from './clock.ts';
import type { EventBody, RunEvent } from './event.ts';
import type { LiveRun } from './live-run.ts';
import { type Answer, type Question, readQuestions, rememberAnswers, rememberQuestions } from './question.ts';
import {
  type Degraded,
  type RunRecord,
  type RunStatus,
  type SeatLoss,
  updateRunRecord,
} from './run-record.ts';
import { awaitWorkflowResult } from './run-registry.ts';

/** A durable story. Its code must be deterministic; everything that touches the world is a step. */
export type WorkflowDefinition<Input, Output> = {
  name: string;
  run(context: WorkflowContext, input: Input): Promise<Output>;
};

/** How a main workflow says that it is through. */
export type Outcome = {
  status: Extract<RunStatus, 'done' | 'not-accepted'>;
  exit: number;
  message?: string;
  degraded?: SeatLoss[];
  oneSided?: string[];
};

/** Timers stop while a machine sleeps, so the clock is read this often. */
const sleepTickMs = 5000;

const tenYears = 10 * 365 * 24 * 3600;

/**
 * What a workflow may do. One instance per execution; replaying repeats the calls and gets the recorded results. Step bodies
 * never receive it: a step inside a step would run without being journaled.
 */
export class WorkflowContext {
  readonly live: LiveRun;
  readonly degraded: Degraded = { seats: [], oneSided: [] };
  readonly #otherRuns: OtherRuns;
  #emitted = 0;

  constructor(live: LiveRun, otherRuns: OtherRuns) {
    this.live = live;
    this.#otherRuns = otherRuns;
  }

  get clock(): Clock {
    return this.live.clock;
  }

  /** Records an event once, however often the workflow is replayed, and returns the recorded one. */
  emit(body: EventBody): RunEvent {
    this.#emitted += 1;
    return this.live.events.emit(`run:${this.#emitted}`, body);
  }

  /**
   * Runs a body at most once to completion; its result is journaled and replayed. Steps are numbered in call order: `Promise.all`
   * over one step each is safe, parallel chains of steps are not.
   */
  step<Result>(name: string, body: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const journaled = DBOS.runStep(
      async () => {
        const result = await this.live.perform(body);
        this.live.awaitJournal(journaled);
        return result;
      },
      { name },
    );
    return journaled;
  }

  /**
   * Runs other runs side by side, each with the directory and record that were made for it, and waits for all. A run
   * that failed has an end like any other. Such runs must not ask: no one is notified that they wait.
   */
  async runs(ids: readonly string[]): Promise<RunEnding[]> {
    const handles: RunHandle[] = [];
    // One after another: the journal numbers them in this order.
    for (const id of ids) handles.push(await this.#otherRuns.start(id));
    return DBOS.runStep(
      async () => {
        await Promise.allSettled(
          handles.map((handle) =>
            awaitWorkflowResult(handle.workflowID, () => handle.getResult({ pollingIntervalMs: 100 })),
          ),
        );
        return Promise.all(ids.map((id) => this.#otherRuns.ending(id)));
      },
      { name: `await ${ids.join(', ')}`.slice(0, 200) },
    );
  }

  /** Asks people and waits as long as it takes. Answers given earlier, even before the question, count. */
  async ask(questions: readonly Question[]): Promise<Map<string, Answer>> {
    if (questions.length === 0) return new Map();
    const ids = questions.map((question) => question.id);
    await this.step(
      `ask ${ids.join(', ')}`,
      async () => rememberQuestions(this.live.directory, questions).schemaVersion,
    );
    this.emit({ type: 'question-ask', questions: [...questions] });
    for (;;) {
      const answers = await this.step(`answers ${ids.join(', ')}`, async () =>
        readQuestions(this.live.directory).answers.filter((answer) => ids.includes(answer.question)),
      );
      if (answers.length === questions.length) {
        this.emit({
          type: 'question-answer',
          answers: answers.map(({ question, value, source }) => ({ question, value, source })),
        });
        this.live.resumeFromPause();
        return new Map(answers.map((answer) => [answer.question, answer]));
      }
      // New answers have left a message; only unanswered questions are asked and worth a pause.
      const known = new Set(readQuestions(this.live.directory).answers.map((answer) => answer.question));
      const open = questions.filter(({ id }) => !known.has(id));
      if (open.length > 0) this.live.pause(open);
      await DBOS.recv('answers', { timeoutSeconds: tenYears, pollingIntervalMs: this.live.messagePollMs });
    }
  }

  /** Waits; a resumed run waits only for the rest, and never longer than the given time, whatever the clock does. */
  async sleep(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    const until = await this.step('wait', async () => this.clock.now() + milliseconds);
    const left = Math.min(milliseconds, until - this.clock.now());
    if (left > 0) await this.live.perform((signal) => sleep(left, undefined, { signal }));
  }

  /** Waits until a time of the calendar, also when the machine sleeps meanwhile; lists show until when and why. */
  async sleepUntil(until: number, reason: string): Promise<void> {
    const { live } = this;
    this.emit({ type: 'note', text: `⏳ ${reason}; sleeping until ${new Date(until).toISOString()}` });
    const awake = () => updateRunRecord(live.directory, { sleeping: undefined });
    // A run that was killed while it slept is awake now.
    if (until <= this.clock.now()) return void (await live.perform(awake));
    await live.perform(async (signal) => {
      await updateRunRecord(live.directory, { sleeping: { until: new Date(until).toISOString(), reason } });
      try {
        for (let left = until - live.clock.now(); left > 0; left = until - live.clock.now())
          await sleep(Math.min(left, sleepTickMs), undefined, { signal });
      } finally {
        await awake();
      }
    });
  }

  /** Answers a question without asking, and saves it like any other. */
  async decide(question: Question, value: string): Promise<void> {
    await this.step(`decide ${question.id}`, async () => {
      rememberQuestions(this.live.directory, [question]);
      rememberAnswers(this.live.directory, [{ question: question.id, value, source: 'recommended' }]);
    });
  }

  /**
   * Writes a file of the public record, whole. Its event is the journal of that: it is written after the file, so a
   * replay that finds it has nothing to write, unless the file was deleted since.
   */
  async artifact(name: string, content: string): Promise<void> {
    const digest = createHash('sha256').update(content).digest('hex');
    const event = { type: 'artifact-write', name, bytes: Buffer.byteLength(content), digest } as const;
    const written = this.live.events.find(`run:${this.#emitted + 1}`);
    const isWritten =
      written?.type === 'artifact-write' && written.name === name && written.digest === digest;
    if (!isWritten || this.live.missingArtifacts.has(name))
      await this.live.perform(() => writeFileAtomic(path.join(this.live.directory.artifacts, name), content));
    this.emit(event);
  }
}

export type RunHandle = {
  workflowID: string;
  getResult(options: { pollingIntervalMs: number }): Promise<unknown>;
};

/** How a run that another run started came to its end. */
export type RunEnding = Pick<RunRecord, 'run' | 'status' | 'exit' | 'error' | 'degraded' | 'oneSided'>;

export type OtherRuns = {
  start(id: string): Promise<RunHandle>;
  ending(id: string): Promise<RunEnding>;
};
