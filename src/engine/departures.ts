import { AsyncLocalStorage } from 'node:async_hooks';
import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Journal } from './journal.ts';
import type { KnownRuns } from './known-runs.ts';

/** What was about to begin when a run was stopped has to find it stopped. */
const graceMs = 10_000;
/** How long a run that has ended waits for the store to know it. */
const settlingSeconds = 5;

/** Lets go of runs that have ended or were stopped, and of their journals: a process may live for days. */
export class Departures {
  readonly #runs: KnownRuns;
  readonly #journal: Journal;
  readonly #soon = new Map<string, () => void>();
  readonly #retiring = new Set<Promise<void>>();
  /** Calls a function outside of the workflow that called it, where asking the store is no step. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(runs: KnownRuns, journal: Journal) {
    this.#runs = runs;
    this.#journal = journal;
  }

  /** Lets go of a run that has ended here once the store knows it. */
  retire(runId: string): void {
    this.#outside(() => {
      const retiring = this.#settled(runId).then(() => this.#leave(runId));
      this.#retiring.add(retiring);
      void retiring.finally(() => this.#retiring.delete(retiring));
    });
  }

  /** Lets go of a run that was stopped or cancelled in a moment. */
  soon(runId: string): void {
    const timer = setTimeout(() => this.now(runId), graceMs).unref();
    this.#soon.set(runId, () => {
      clearTimeout(timer);
      this.#leave(runId);
    });
  }

  /** Lets go of a run at once that would be let go of soon. */
  now(runId: string): void {
    this.#soon.get(runId)?.();
  }

  /** Lets go of a run that was not taken up after all; its journal is not ours to remove. */
  drop(runId: string): void {
    this.#soon.delete(runId);
    this.#runs.letGo(runId);
  }

  /** Resolves when nothing more has to leave. */
  async all(): Promise<void> {
    for (const leave of [...this.#soon.values()]) leave();
    await Promise.all(this.#retiring);
  }

  #leave(runId: string): void {
    this.drop(runId);
    this.#journal.forget(runId);
  }

  async #settled(runId: string): Promise<void> {
    const known = this.#runs.handles.get(runId);
    const wait = { pollingIntervalMs: 50, timeoutSeconds: settlingSeconds };
    await (known === undefined ? DBOS.getResult(runId, wait) : known.getResult(wait)).catch(() => {});
  }
}
