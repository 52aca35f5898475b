import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { writeFileAtomic } from '../base/files/atomic.ts';
import type { Clock } from './clock.ts';
import type { EventBody, RunEvent } from './event.ts';
import type { HeadStart } from './head-start.ts';
import type { LiveRun } from './live-run.ts';
import { type Answer, type Question, readQuestions, rememberAnswers, rememberQuestions } from './question.ts';
import { resultOf } from './result-of.ts';
import type { RunRecord, RunStatus } from './run-record.ts';

/** A durable story. Its code must be deterministic; everything that touches the world is a step or a child. */
export type WorkflowDefinition<Input, Output> = {
  name: string;
  run(context: WorkflowContext, input: Input): Promise<Output>;
};

/** How a main workflow says that it is through. */
export type Outcome = { status: Extract<RunStatus, 'done' | 'not-accepted'>; exit: number; message?: string };

export type Child<Input> = { key: string; input: Input };

/** How long the journal waits for those who go ahead of it. */
const behindMs = 20;
const tenYears = 10 * 365 * 24 * 3600;

/** What a workflow may do. One instance per execution; replaying repeats the calls and gets the recorded results. */
export class WorkflowContext {
  readonly live: LiveRun;
  readonly #key: string;
  readonly #startChild: StartChild;
  readonly #otherRuns: OtherRuns;
  readonly #head: HeadStart | undefined;
  #emitted = 0;
  #steps = 0;
  #rows = 0;
  #journaling: Promise<void> = Promise.resolve();
  /** What the journal said of a step that this execution had gone ahead of. */
  #refusal: { error: unknown } | undefined;

  /** `head`: of a child whose first step may have begun. */
  constructor(live: LiveRun, key: string, startChild: StartChild, otherRuns: OtherRuns, head?: HeadStart) {
    this.live = live;
    this.#key = key;
    this.#startChild = startChild;
    this.#otherRuns = otherRuns;
    this.#head = head;
  }

  get clock(): Clock {
    return this.live.clock;
  }

  /** Records an event once, however often the workflow is replayed, and gives back the one that stands. */
  emit(body: EventBody): RunEvent {
    this.#emitted += 1;
    return this.live.events.emit(this.#idOf(this.#emitted), body);
  }

  #idOf(number: number): string {
    return `${this.#key || 'run'}:${number}`;
  }

  /**
   * Runs a body at most once to completion; its result is journaled and replayed. Where the journal cannot have it yet, the
   * body begins while the journal is asked.
   */
  step<Result>(name: string, body: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal.error);
    this.#steps += 1;
    const id = `${this.#key || 'run'}#${this.#steps}`;
    const perform = () => this.live.perform(body);
    if (!this.live.fresh) {
      const kept = this.live.unjournaled?.find(id);
      return DBOS.runStep(kept === undefined ? perform : async () => kept.value as Result, { name });
    }
    const begun = this.#steps === 1 && this.#head !== undefined ? this.#head.first(perform) : perform();
    begun.catch(() => {});
    const wait = () => begun;
    const { unjournaled } = this.live;
    if (unjournaled === undefined) return DBOS.runStep(wait, { name });
    return this.#goAhead(name, id, { result: begun, body: wait });
  }

  /**
   * Runs children side by side and waits for all. A chain of steps that runs beside another must be a child: steps are
   * numbered in call order, and two chains in one workflow would not replay.
   */
  async children<Input, Output>(
    definition: WorkflowDefinition<Input, Output>,
    children: readonly Child<Input>[],
  ): Promise<Output[]> {
    if (this.#refusal !== undefined) throw this.#refusal.error;
    // What they are asked stands in files that were written outside a step; whoever takes them over begins with those.
    await this.live.begin(() => this.live.keep());
    const handles = await Promise.all(children.map((child) => this.#startChild(definition, child)));
    this.#rows += 1;
    const id = `${this.#key || 'run'}@${this.#rows}`;
    // One step for all: the results are in the journal already, and a step each would take longer than the rest. They are asked
    // for inside it, where the journal does not count the asking.
    const name = `await ${children.map(({ key }) => key).join(', ')}`.slice(0, 200);
    const results = Promise.withResolvers<Output[]>();
    const collect = () => {
      results.resolve(resultsOf<Output>(handles));
      return results.promise;
    };
    const taken = () => {
      for (const { head } of handles) head?.taken();
    };
    if (this.live.fresh && this.live.unjournaled !== undefined)
      return this.#goAhead(name, id, { result: results.promise, body: collect }, taken);
    const kept = this.live.unjournaled?.find(id);
    // They come to their end here too, but what was built on is what they had given then.
    const again = async () => {
      const found = await collect();
      return kept === undefined ? found : (kept.value as Output[]);
    };
    return DBOS.runStep(again, { name }).finally(taken);
  }

  /** Resolves when the journal has everything that this execution went ahead of. */
  journaled(): Promise<void> {
    return this.#journaling;
  }

  /**
   * Gives back a result as soon as it is kept and puts it into the journal afterwards; failures are told by the journal. The
   * body is what the step does: it gives the same result.
   */
  #goAhead<Result>(
    name: string,
    id: string,
    { result, body }: { result: Promise<Result>; body: () => Promise<Result> },
    settled: () => void = () => {},
  ): Promise<Result> {
    const { unjournaled } = this.live;
    // Whoever goes on goes first: the embedded store keeps the whole process busy.
    const later = async () => sleep(behindMs, await body());
    const journaled = DBOS.runStep(later, { name }).finally(settled);
    journaled.then(
      () => unjournaled?.journaled(id),
      () => {},
    );
    const before = this.#journaling;
    this.#journaling = result.then(
      () => Promise.all([before, journaled]).then(() => {}),
      () => before,
    );
    this.#journaling.catch(() => {});
    const goOn = (value: Result) => {
      this.live.catchUp(journaled);
      journaled.catch((error) => {
        this.#refusal ??= { error };
      });
      // What cannot be kept, for want of room or because it cannot be copied, waits for the journal.
      const kept = unjournaled?.keep(id, value);
      return kept === undefined ? journaled : kept.value;
    };
    // A journal that refuses the step is heard at once.
    return Promise.race([result.then(goOn, () => journaled), journaled]);
  }

  /**
   * Runs other runs side by side, each with the directory and record that were made for it, and waits for all. A run
   * that failed has an end like any other. Such runs must not ask: nobody is told that they wait.
   */
  async runs(ids: readonly string[]): Promise<RunEnding[]> {
    const handles: ChildHandle[] = [];
    // One after another: the journal numbers them in this order.
    for (const id of ids) handles.push(await this.#otherRuns.start(id));
    return DBOS.runStep(
      async () => {
        await Promise.allSettled(
          handles.map((handle) =>
            resultOf(handle.workflowID, () => handle.getResult({ pollingIntervalMs: 100 })),
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
      // Answers that came meanwhile have left a message; only what nobody answered is worth a pause, and is asked then.
      const known = new Set(readQuestions(this.live.directory).answers.map((answer) => answer.question));
      const open = questions.filter(({ id }) => !known.has(id));
      if (open.length > 0) this.live.pause(open);
      // A shared store tells of a message by itself; the embedded one, which goes ahead of its journal, has to be asked.
      const pollingIntervalMs = this.live.unjournaled === undefined ? 2000 : 100;
      await DBOS.recv('answers', { timeoutSeconds: tenYears, pollingIntervalMs });
    }
  }

  /** Waits; a resumed run waits only for what is left, and never longer than it was told, whatever the clock does. */
  async sleep(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    const until = await this.step('wait', async () => this.clock.now() + milliseconds);
    const left = Math.min(milliseconds, until - this.clock.now());
    if (left > 0) await this.live.perform((signal) => sleep(left, undefined, { signal }));
  }

  /** Answers a question without asking, and puts it on record like any other. */
  async decide(question: Question, value: string): Promise<void> {
    await this.step(`decide ${question.id}`, async () => {
      rememberQuestions(this.live.directory, [question]);
      rememberAnswers(this.live.directory, [{ question: question.id, value, source: 'recommended' }]);
    });
  }

  /**
   * Writes a file of the public record, whole. Its event is the journal of that: it is written after the file, so a
   * replay that finds it has nothing to write.
   */
  async artifact(name: string, content: string): Promise<void> {
    const digest = createHash('sha256').update(content).digest('hex');
    const event = { type: 'artifact-write', name, bytes: Buffer.byteLength(content), digest } as const;
    const written = this.live.events.find(this.#idOf(this.#emitted + 1));
    if (written?.type !== 'artifact-write' || written.name !== name || written.digest !== digest)
      await this.live.perform(() => writeFileAtomic(path.join(this.live.directory.artifacts, name), content));
    this.emit(event);
  }
}

export type ChildHandle = {
  workflowID: string;
  head?: HeadStart | undefined;
  getResult(options: { pollingIntervalMs: number }): Promise<unknown>;
};

/** What children give back, as soon as they hand it over or the journal tells it; all come to an end before one fails. */
async function resultsOf<Output>(handles: readonly ChildHandle[]): Promise<Output[]> {
  const settled = await Promise.allSettled(
    handles.map((handle) => {
      const told = resultOf(handle.workflowID, () => handle.getResult({ pollingIntervalMs: 100 }));
      return handle.head === undefined ? told : Promise.race([handle.head.result, told]);
    }),
  );
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value as Output;
  });
}

/** How a run that another run started came to its end. */
export type RunEnding = Pick<RunRecord, 'run' | 'status' | 'exit' | 'error'>;

export type OtherRuns = {
  start(id: string): Promise<ChildHandle>;
  ending(id: string): Promise<RunEnding>;
};

export type StartChild = <Input, Output>(
  definition: WorkflowDefinition<Input, Output>,
  child: Child<Input>,
) => Promise<ChildHandle>;
