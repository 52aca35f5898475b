import { existsSync, readdirSync } from 'node:fs';
import { toCharretteError } from '../../base/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Claim, setClone } from '../../engine/queue/claim.ts';
import { RunLostError } from '../../engine/queue/mirror.ts';
import type { Queue } from '../../engine/queue/queue.ts';
import { restoreRun } from '../../engine/queue/restore.ts';
import { refusedNote } from '../../engine/queue/workers.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync, updateRunRecord } from '../../engine/run-record.ts';
import { noteTree } from '../../workflows/design/tree.ts';
import type { ClaimedRuns, Held } from './claimed-runs.ts';
import type { ServedPlace } from './places.ts';
import { classifyStartFailure } from './places.ts';
import type { WorkerEvent } from './worker-event.ts';

/** How long nothing is taken after a run was given back because it could not begin here. */
const restMs = { store: 1000, machine: 10_000 } as const;

/** Takes runs up that were claimed, beside everything else: one that cannot begin now keeps nobody waiting. */
export class RunStarter {
  readonly #queue: Queue;
  readonly #held: ClaimedRuns;
  readonly #report: (event: WorkerEvent) => void;
  readonly #engine: () => Engine | undefined;
  readonly #lose: () => void;
  /** Nothing more begins. */
  readonly #stop: AbortSignal;
  /** Nothing more counts. */
  readonly #over: AbortSignal;
  readonly #underWay = new Set<Promise<void>>();
  #restUntil = 0;

  constructor(options: {
    queue: Queue;
    held: ClaimedRuns;
    report: (event: WorkerEvent) => void;
    engine: () => Engine | undefined;
    lose: () => void;
    stop: AbortSignal;
    over: AbortSignal;
  }) {
    this.#queue = options.queue;
    this.#held = options.held;
    this.#report = options.report;
    this.#engine = options.engine;
    this.#lose = options.lose;
    this.#stop = options.stop;
    this.#over = options.over;
  }

  /** Whether a run could not begin here a moment ago. */
  get rests(): boolean {
    return performance.now() < this.#restUntil;
  }

  take(claim: Claim<ServedPlace>): void {
    const { run, title, epoch } = claim.entry;
    const held = this.#held.hold(claim);
    this.#report({ type: 'run-claimed', run, title, project: claim.place.home.project, epoch });
    const taking = this.#begin(held)
      .catch((error) => this.#refuse(held, error))
      .catch((error) => this.#held.trouble(run, error))
      .finally(() => this.#underWay.delete(taking));
    this.#underWay.add(taking);
  }

  /** Resolves when nothing is being taken up. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #begin(held: Held): Promise<void> {
    const { entry, place, directory } = held;
    const comes = entry.travels && (entry.atClone !== place.clone || !existsSync(directory.record));
    if (comes) await restoreRun(this.#queue, directory, place.home.project);
    // What is uncommitted here by now is a person's: nothing of it may count as the work of agents, and be undone.
    if (comes || !hasLanes(directory)) await noteTree(directory, place.home.project);
    if (!(await setClone(this.#queue, entry, place.clone))) throw new RunLostError(entry.run);
    held.placed = true;
    const { status } = readRunRecordSync(directory);
    // Whoever had it before was gone before the queue heard of its end.
    if (isOver(status)) return this.#held.end(held, status);
    if (this.#stop.aborted) return;
    await this.#engine()?.start(entry.run, place.home);
    held.begun = true;
    // Somebody left a cancel in its inbox.
    if (readRunRecordSync(directory).status === 'cancelled') await this.#held.end(held);
  }

  /** A run that will not begin anywhere has failed; another waits for better times, or for another worker. */
  async #refuse(held: Held, error: unknown): Promise<void> {
    const { run } = held.entry;
    const fault = classifyStartFailure(error);
    if (this.#over.aborted) return;
    if (fault === 'lost') return this.#lose();
    const { code, message, fix } = toCharretteError(error);
    this.#report({ type: 'run-refuse', run, message });
    this.#engine()?.forget(run);
    if (fault === 'run') {
      const why = { code, message, fix };
      await this.#note(held, { status: 'failed', exit: 1, error: why, process: undefined });
      return this.#held.end(held, 'failed');
    }
    this.#restUntil = performance.now() + restMs[fault];
    await this.#note(held, { status: 'queued', process: undefined });
    await this.#held.giveBack(held, refusedNote(message), fault === 'machine');
  }

  /** Puts on record what became of it, as far as that can be done; an older copy than the store's is left alone. */
  async #note({ placed, directory, mirror }: Held, change: Partial<RunRecord>): Promise<void> {
    if (!placed) return;
    await updateRunRecord(directory, change)
      .then(() => mirror.keep())
      .catch(() => {});
  }
}

/** A failed run can be gone on with; the others are over for good. */
function isOver(status: RunRecord['status']): boolean {
  return isFinal(status) && status !== 'failed';
}

/** Whether an agent was at work for it. */
function hasLanes({ lanes }: RunDirectory): boolean {
  return existsSync(lanes) && readdirSync(lanes).length > 0;
}
