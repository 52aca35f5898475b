import type { LiveRun } from './live-run.ts';
import { type OtherRuns, type StartChild, WorkflowContext, type WorkflowDefinition } from './workflow.ts';

/**
 * What a child does before and after the journal has caught up, in a run that is executed for the first time. Its first step
 * begins while the child itself is still being put on record, and its result reaches whoever waits while its end is. Nothing is
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

/** Begins the first step of a child, and nothing after it. */
export function rehearse<Input, Output>(
  head: HeadStart,
  definition: WorkflowDefinition<Input, Output>,
  { live, key, input }: { live: LiveRun; key: string; input: Input },
): void {
  // What fails here fails again where it counts.
  definition.run(new Rehearsal(head, live, key), input).catch(() => {});
}

/** Goes up to the first step. Events have the ids that the child itself will give them, so they stand once. */
class Rehearsal extends WorkflowContext {
  readonly #head: HeadStart;

  constructor(head: HeadStart, live: LiveRun, key: string) {
    super(live, key, never as StartChild, { start: never, ending: never } satisfies OtherRuns);
    this.#head = head;
  }

  override step<Result>(_name: string, body: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    void this.#head.first(() => this.live.perform(body));
    return never();
  }

  override readonly children = never;
  override readonly runs = never;
  override readonly ask = never;
  override readonly sleep = never;
  override readonly artifact = never;
}

function never(): Promise<never> {
  return new Promise(() => {});
}
