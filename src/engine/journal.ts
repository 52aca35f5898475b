import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { toCharretteError } from '../base/errors.ts';
import type { Store } from './store.ts';

export type JournalOptions = {
  store: Store;
  /** Names of the main workflows. */
  workflows: readonly string[];
  /** Whether the run has a directory whose record is not final; only the embedded store has the directories of all runs. */
  isOpen: (runId: string) => boolean;
  /** How long the journal of an ended run stays. */
  keptMs?: number | undefined;
};

/** On a shared store another process may still ask how a run ended; the embedded one has a single user. */
const usuallyKeptMs = { embedded: 0, shared: 600_000 } as const;
const firstSweepMs = 1000;
const sweepMs = 60_000;
const maxAtOnce = 200;
const momentMs = 50;

/**
 * Removes from the store what nothing will ask for again. The directory of a run is its record; the journal is only
 * needed to continue, and a failed run continues from its directory. Without this a store grows with every run ever made.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #keptMs: number;
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();
  #work: Promise<unknown> = Promise.resolve();
  #leaving: string[] = [];

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#keptMs = options.keptMs ?? usuallyKeptMs[options.store.kind];
  }

  start(): void {
    // What is not kept goes at once; a sweep finds only what a crash or a removal left.
    const pause = this.#keptMs === 0 ? sweepMs : Math.min(sweepMs, Math.max(firstSweepMs, this.#keptMs));
    const sweep = (delay: number) => {
      this.#timer = setTimeout(() => {
        this.#afterOthers(() => this.#sweep());
        sweep(pause);
      }, delay).unref();
    };
    sweep(firstSweepMs);
  }

  /**
   * Removes the journal of this run if it has ended; where journals are kept for a while, that is left to a later sweep. It
   * happens a moment later: waiters for the run continue first, and runs that end together are removed together.
   */
  forget(runId: string): void {
    if (this.#keptMs !== 0) return;
    this.#leaving.push(runId);
    if (this.#leaving.length > 1) return;
    this.#afterOthers(async () => {
      await sleep(momentMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      const ids = this.#leaving.splice(0);
      for (let at = 0; at < ids.length; at += maxAtOnce)
        await this.#removeEnded({ workflowIDs: ids.slice(at, at + maxAtOnce) });
    });
  }

  /** Ends the sweeps and finishes what was begun. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    await this.#work;
  }

  #afterOthers(work: () => Promise<unknown>): void {
    // A store that cannot be reached now is swept another time.
    this.#work = this.#work.then(work).catch(() => {});
  }

  async #sweep(): Promise<void> {
    await this.#removeEnded({ completedBefore: new Date(Date.now() - this.#keptMs).toISOString() });
    if (this.#options.store.kind === 'embedded') await this.#removeUnknown();
  }

  async #removeEnded(which: { workflowIDs?: string[]; completedBefore?: string }): Promise<void> {
    await this.#remove(await this.#list({ ...which, status: ['SUCCESS', 'ERROR', 'CANCELLED'] }));
  }

  /** Runs that were removed before they ended, and those whose process died between their end and the store's knowing it. */
  async #removeUnknown(): Promise<void> {
    const open = await this.#list({ status: ['PENDING', 'ENQUEUED'] });
    await this.#remove(open.filter((id) => !this.#options.isOpen(id)));
  }

  /** Runs without a parent: a resumed parent replays its steps and needs its children. */
  async #list(which: Parameters<typeof DBOS.listWorkflows>[0]): Promise<string[]> {
    const found = await DBOS.listWorkflows({
      ...which,
      workflowName: [...this.#options.workflows],
      hasParent: false,
      limit: maxAtOnce,
      loadInput: false,
      loadOutput: false,
    });
    return found.map(({ workflowID }) => workflowID);
  }

  async #remove(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await DBOS.deleteWorkflows(ids, true);
    await this.#options.store.tidy(ids.length);
  }
}

/** Whether a step failed on a full disk: replaying that journal would fail again, however much room there is now. */
export async function hasDiskFullError(runs: readonly string[]): Promise<boolean> {
  const steps = await Promise.all(runs.map((id) => DBOS.listWorkflowSteps(id)));
  const errors = steps.flatMap((list) => list ?? []).map(({ error }) => error);
  return errors.some((error) => error != null && toCharretteError(error).code === 'disk-full');
}
