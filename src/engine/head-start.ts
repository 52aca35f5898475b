import type { LiveRun } from './live-run.ts';
import {
  type Child,
  type OtherRuns,
  type StartChild,
  WorkflowContext,
  type WorkflowDefinition,
} from './workflow.ts';

/**
 * What a run or a child of it does before and after the journal has caught up, when it is executed for the first time. Its first
 * step begins while it is still being put on record, and the result of a child reaches whoever waits while its end is. Nothing is
 * less durable for it: a step that was under way when the process died runs again anyway, and what a child gives back is made
 * of steps that are in the journal.
 */
export class HeadStart {
  readonly #result = Promise.withResolvers<unknown>();
  readonly #taken = Promise.withResolvers<void>();
  #first: Promise<unknown> | undefined;

  /** The first step: whoever comes to it first begins it, and everybody gets what came of that. */
  first<Result>(body: () => Promise<Result>): Promise<Result> {
    this.#first ??= body();
    // Whoever waits for it may come later.
    this.#first.catch(() => {});
    return this.#first as Promise<Result>;
  }

  /** What the child gives back; it never fails: failures are told by the journal. */
  get result(): Promise<unknown> {
    return this.#result.promise;
  }

  /** Hands the result over and waits until it has been taken; the end of the child is journaled after that. */
  async handOver(result: unknown): Promise<void> {
    this.#result.resolve(result);
    await this.#taken.promise;
  }

  taken(): void {
    this.#taken.resolve();
  }
}

/** The head start of a run or a child of it: begins its first step, or the first steps of its first children, and nothing after. */
export function headStart<Input, Output>(
  live: LiveRun,
  definition: WorkflowDefinition<Input, Output>,
  { key, input }: Child<Input>,
): HeadStart {
  const begun = live.headStarts.get(key);
  if (begun !== undefined) return begun;
  const head = new HeadStart();
  live.headStarts.set(key, head);
  // What fails here fails again where it counts.
  definition.run(new Rehearsal(head, live, key), input).catch(() => {});
  return head;
}

/** Goes up to the first step. Events have the ids that the execution itself will give them, so they stand once. */
class Rehearsal extends WorkflowContext {
  readonly #head: HeadStart;
  readonly #key: string;

  constructor(head: HeadStart, live: LiveRun, key: string) {
    super(live, key, never as StartChild, { start: never, ending: never } satisfies OtherRuns);
    this.#head = head;
    this.#key = key;
  }

  override step<Result>(_name: string, body: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    void this.#head.first(() => this.live.perform(body));
    return never();
  }

  override children<Input, Output>(
    definition: WorkflowDefinition<Input, Output>,
    children: readonly Child<Input>[],
  ): Promise<Output[]> {
    for (const { key, input } of children)
      headStart(this.live, definition, { key: keyBelow(this.#key, key), input });
    return never();
  }

  override readonly runs = never;
  override readonly ask = never;
  override readonly sleep = never;
  override readonly artifact = never;
}

/** The key of a child within its run. */
export function keyBelow(parent: string, child: string): string {
  return parent === '' ? child : `${parent}.${child}`;
}

function never(): Promise<never> {
  return new Promise(() => {});
}
