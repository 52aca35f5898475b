import { setTimeout as sleep } from 'node:timers/promises';
import { readQuestions, unanswered } from '../../engine/question.ts';
import type { QueueLimits } from '../../engine/queue/claim.ts';
import { reactivateRun } from '../../engine/queue/claim.ts';
import { type QueueMessage, readMessages, removeMessage } from '../../engine/queue/messages.ts';
import { updateRunRecord } from '../../engine/run-record.ts';
import { type ClaimedRuns, type Held, recordOf, type WorkerContext } from './claimed-runs.ts';
import { classifyStartFailure } from './places.ts';

const retryDelayMs = 1000;

/** Handles messages of terminals for the runs that are claimed here, concurrently with everything else. */
export class MessageHandler {
  readonly #worker: WorkerContext;
  readonly #held: ClaimedRuns;
  /** Runs in parallel here. */
  readonly #limit: number;
  readonly #limits: QueueLimits;
  /** Messages in progress. */
  readonly #inProgress = new Set<string>();

  constructor(
    worker: WorkerContext,
    held: ClaimedRuns,
    { limit, limits }: { limit: number; limits: QueueLimits },
  ) {
    this.#worker = worker;
    this.#held = held;
    this.#limit = limit;
    this.#limits = limits;
  }

  /** One poll; an answer without a free place stays in the queue. */
  async poll(): Promise<void> {
    const runs = this.#held.all.filter(({ begun }) => begun).map(({ entry }) => entry.run);
    for (const { id, run, message } of await readMessages(this.#worker.queue, runs)) {
      const held = this.#held.find(run);
      if (held === undefined || this.#inProgress.has(id)) continue;
      const asked = message !== undefined && message.type !== 'cancel' && held.state === 'waiting';
      // The report that it waits is on its way.
      if (message?.type === 'recommend' && !asked && asks(held)) continue;
      if (asked && !(await this.#findPlace(held))) continue;
      this.#inProgress.add(id);
      void this.#obey(id, held, message, asked)
        .catch(async (error) => {
          this.#held.trouble(run, error);
          await sleep(retryDelayMs, undefined, { ref: false });
        })
        .finally(() => this.#inProgress.delete(id));
    }
  }

  /** A continued run uses a place again, here and among all workers. */
  async #findPlace(held: Held): Promise<boolean> {
    if (
      this.#held.busy >= this.#limit ||
      !(await reactivateRun(this.#worker.queue, held.entry, this.#limits))
    )
      return false;
    held.state = 'running';
    return true;
  }

  async #obey(id: string, held: Held, message: QueueMessage | undefined, asked: boolean): Promise<void> {
    const { run } = held.entry;
    if (message?.type === 'cancel') await this.#worker.engine()?.cancel(run, message.reason);
    if (message?.type === 'answer')
      await this.#worker
        .engine()
        ?.answer(run, message.answers)
        .catch((error) => {
          if (classifyStartFailure(error) !== 'run') throw error;
          // The answer is unusable; the run keeps waiting.
          this.#held.trouble(run, error);
          if (asked) this.#held.changed(run, 'waiting');
        });
    if (message?.type === 'recommend') {
      const labels = recordOf(held)?.queue?.labels ?? [];
      await updateRunRecord(held.directory, { queue: { labels, yes: true } });
      if (asked) this.#held.changed(run, 'waiting');
    }
    // Save the effect before removing the message, for later readers and for the next worker.
    if (message?.type !== 'cancel') await held.mirror.keep();
    await removeMessage(this.#worker.queue, id);
  }
}

function asks({ directory }: Held): boolean {
  return unanswered(readQuestions(directory)).length > 0;
}
