import { existsSync, readdirSync } from 'node:fs';
import { toCharretteError } from '../../base/errors.ts';
import { type Claim, setClone } from '../../engine/queue/claim.ts';
import { RunLostError, restoreRun } from '../../engine/queue/mirror.ts';
import { refusedNote } from '../../engine/queue/workers.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync, updateRunRecord } from '../../engine/run-record.ts';
import { noteTree } from '../../workflows/design/tree.ts';
import type { ClaimedRuns, Held, WorkerContext } from './claimed-runs.ts';
import { classifyStartFailure, type ServedPlace } from './places.ts';

/** How long the worker claims nothing after it requeued a run that could not start here. */
const restMs = { store: 1000, machine: 10_000 } as const;

/** Starts claimed runs, concurrently with everything else: a run that cannot start now delays no other. */
export class RunStarter {
  readonly #worker: WorkerContext;
  readonly #held: ClaimedRuns;
  /** Nothing more starts. */
  readonly #stop: AbortSignal;
  /** Nothing more counts. */
  readonly #over: AbortSignal;
  readonly #starting = new Set<Promise<void>>();
  #restUntil = 0;

  constructor(
    worker: WorkerContext,
    held: ClaimedRuns,
    { stop, over }: Record<'stop' | 'over', AbortSignal>,
  ) {
    this.#worker = worker;
    this.#held = held;
    this.#stop = stop;
    this.#over = over;
  }

  /** Whether a run could not start here a moment ago. */
  get rests(): boolean {
    return performance.now() < this.#restUntil;
  }

  start(claim: Claim<ServedPlace>): void {
    const { run, title, epoch } = claim.entry;
    const held = this.#held.hold(claim);
    this.#worker.report({ type: 'run-claimed', run, title, project: claim.place.home.project, epoch });
    const starting = this.#begin(held)
      .catch((error) => this.#refuse(held, error))
      .catch((error) => this.#held.trouble(run, error))
      .finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  /** Resolves when no run is being started. */
  async settled(): Promise<void> {
    await Promise.all(this.#starting);
  }

  async #begin(held: Held): Promise<void> {
    const { entry, place, directory } = held;
    const comes = entry.travels && (entry.atClone !== place.clone || !existsSync(directory.record));
    if (comes) await restoreRun(this.#worker.queue, directory, place.home.project);
    // Uncommitted changes are a person's by now: they must not count as the work of agents, and be undone.
    if (comes || !hasLanes(directory)) await noteTree(directory, place.home.project);
    if (!(await setClone(this.#worker.queue, entry, place.clone))) throw new RunLostError(entry.run);
    held.placed = true;
    const { status } = readRunRecordSync(directory);
    // Its last worker died before the queue received its end.
    if (isOver(status)) return this.#held.end(held, status);
    if (this.#stop.aborted) return;
    await this.#worker.engine()?.start(entry.run, place.home);
    held.begun = true;
    // Its inbox had a cancel.
    if (readRunRecordSync(directory).status === 'cancelled') await this.#held.end(held);
  }

  /** Fails a run that will not start anywhere; another waits for better times, or for another worker. */
  async #refuse(held: Held, error: unknown): Promise<void> {
    const { run } = held.entry;
    const fault = classifyStartFailure(error);
    if (this.#over.aborted) return;
    if (fault === 'lost') return this.#worker.lose();
    const { code, message, fix } = toCharretteError(error);
    this.#worker.report({ type: 'run-refuse', run, message });
    this.#worker.engine()?.forget(run);
    if (fault === 'run') {
      const why = { code, message, fix };
      await this.#note(held, { status: 'failed', exit: 1, error: why, process: undefined });
      return this.#held.end(held, 'failed');
    }
    this.#restUntil = performance.now() + restMs[fault];
    await this.#note(held, { status: 'queued', process: undefined });
    await this.#held.requeue(held, refusedNote(message), fault === 'machine');
  }

  /** Records the outcome, best effort; does not change a copy that is older than the store's. */
  async #note({ placed, directory, mirror }: Held, change: Partial<RunRecord>): Promise<void> {
    if (!placed) return;
    await updateRunRecord(directory, change)
      .then(() => mirror.keep())
      .catch(() => {});
  }
}

/** A failed run can be resumed; the others have ended permanently. */
function isOver(status: RunRecord['status']): boolean {
  return isFinal(status) && status !== 'failed';
}

/** Whether an agent was called for it. */
function hasLanes({ lanes }: RunDirectory): boolean {
  return existsSync(lanes) && readdirSync(lanes).length > 0;
}
