import { existsSync } from 'node:fs';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { toCharretteError } from '../base/errors.ts';
import { removeUnfinished } from '../base/files/atomic.ts';
import { timeOf } from './clock.ts';
import { type LiveRun, reportMissing } from './live-run.ts';
import { thisProcess } from './lock.ts';
import { relocateInputs } from './run-directory.ts';
import type { RunCleanup } from './run-finalizer.ts';
import { type RunRecord, readRunRecord, updateRunRecord } from './run-record.ts';
import type { RunRegistry } from './run-registry.ts';
import {
  type OtherRuns,
  type Outcome,
  type RunHandle,
  WorkflowContext,
  type WorkflowDefinition,
} from './workflow.ts';

// biome-ignore lint/suspicious/noExplicitAny: definitions of different inputs share one table
export type AnyDefinition = WorkflowDefinition<any, any>;

export type Definitions = { workflows: readonly AnyDefinition[] };

/** Ends that a workflow decides. */
const outcomes: readonly string[] = ['done', 'not-accepted'] satisfies Outcome['status'][];

type Registered = (run: string, input: unknown) => Promise<unknown>;

/** Lets the durable engine execute runs, and records how they end. */
export class Executions {
  readonly #definitions: Definitions;
  readonly #runs: RunRegistry;
  readonly #cleanup: RunCleanup;
  readonly #workflows = new Map<string, Registered>();

  constructor(definitions: Definitions, runs: RunRegistry, cleanup: RunCleanup) {
    this.#definitions = definitions;
    this.#runs = runs;
    this.#cleanup = cleanup;
  }

  /** Tells the durable engine of all definitions, before it starts. */
  register(): void {
    for (const definition of this.#definitions.workflows) {
      const { name } = definition;
      const body: Registered = (run, input) => this.#runMain(definition, run, input);
      this.#workflows.set(name, DBOS.registerWorkflow(body, { name }));
    }
  }

  /** Begins a run of which the store has nothing. */
  async begin(live: LiveRun, { run, workflow, inputs }: RunRecord): Promise<void> {
    const handle = await this.#startRun(run, workflow, inputs);
    const active = this.#runs.of(run);
    if (active.live === live) active.handle = handle;
  }

  async #runMain(definition: AnyDefinition, runId: string, input: unknown): Promise<void> {
    const directory = this.#runs.directoryOf(runId);
    if (!this.#runs.of(runId).isUnderWay) await this.#takeUp(runId);
    const context = this.#context(runId);
    try {
      let outcome: Outcome = await definition.run(context, this.#localInput(input, runId));
      // Stopped during its last step: resuming comes here again without repeating anything.
      if (context.live.stopping) return new Promise(() => {});
      const missing = await reportMissing(context.live);
      if (missing.length > 0 && outcome.status === 'done')
        outcome = {
          ...outcome,
          status: 'not-accepted',
          exit: 6,
          message: `${missing.length} artifacts are lost`,
        };
      context.emit({ type: 'run-end', ...outcome });
      context.live.events.emitRunEnd(outcome);
      await updateRunRecord(directory, {
        status: outcome.status,
        exit: outcome.exit,
        degraded: outcome.degraded,
        ended: timeOf(this.#runs.clock),
      });
      await this.tellEnd(context.live);
      this.#cleanup.retire(runId);
      this.#runs.of(runId).watch.end();
    } catch (thrown) {
      // The journal refuses a run that another worker has; the run has not failed.
      await context.live.keep().catch(() => {});
      if (context.live.stopping) return new Promise(() => {});
      if (await this.#isOnRecord(context.live, thrown)) {
        await this.tellEnd(context.live);
        this.#cleanup.retire(runId);
      } else {
        this.#runs.of(runId).failure = thrown;
        this.#runs.of(runId).watch.end();
      }
      throw thrown;
    } finally {
      const active = this.#runs.find(runId);
      if (active !== undefined) active.isUnderWay = false;
    }
  }

  /** Saves how a run failed; false when a full disk refuses that. Waiters receive the failure anyway. */
  async #isOnRecord(live: LiveRun, thrown: unknown): Promise<boolean> {
    const { code, message, fix } = toCharretteError(thrown);
    try {
      const end = { status: 'failed', exit: 1 } as const;
      live.events.emit(`run:failed-${live.events.count}`, { type: 'run-end', ...end, message });
      await updateRunRecord(live.directory, {
        ...end,
        ended: timeOf(this.#runs.clock),
        error: { code, message, fix },
      });
      return true;
    } catch {
      return false;
    }
  }

  /** Keeps the last writes and reports the end. */
  async tellEnd(live: LiveRun): Promise<void> {
    await live.keep();
    this.#runs.guard?.changed(live.directory.id, 'ended');
  }

  /** The journal has the project where the run was made; another clone, a copy and a renamed project are elsewhere. */
  #localInput(input: unknown, runId: string): unknown {
    return relocateInputs(input, this.#runs.homeOf(runId).project);
  }

  #context(runId: string): WorkflowContext {
    const otherRuns: OtherRuns = {
      start: (id) => this.#startRunOf(runId, id),
      ending: async (id) => {
        const { run, status, exit, error, degraded } = await readRunRecord(this.#runs.directoryOf(id));
        return { run, status, exit, error, degraded };
      },
    };
    return new WorkflowContext(this.#runs.open(runId), otherRuns);
  }

  /** Starts a child run. Its id names its parent, so that both are resumed together. */
  async #startRunOf(parent: string, runId: string): Promise<RunHandle> {
    if (!runId.startsWith(`${parent}-`)) throw new Error(`${runId} is not named after ${parent}.`);
    const directory = this.#runs.directoryOf(runId);
    const record = await readRunRecord(directory);
    if (!existsSync(directory.events)) emitStart(this.#runs.open(runId), record);
    return this.#startRun(runId, record.workflow, record.inputs);
  }

  #startRun(runId: string, workflow: string, inputs: unknown): Promise<RunHandle> {
    return DBOS.startWorkflow(this.#registered(workflow), { workflowID: runId })(runId, inputs);
  }

  #registered(name: string): Registered {
    const workflow = this.#workflows.get(name);
    if (workflow === undefined) throw new Error(`The workflow ${name} is not registered.`);
    return workflow;
  }

  /** Marks a run that was not started by its name as running. */
  async #takeUp(runId: string): Promise<void> {
    const directory = this.#runs.directoryOf(runId);
    this.#runs.of(runId).isUnderWay = true;
    removeUnfinished(directory.artifacts);
    const record = await updateRunRecord(directory, atWork());
    const live = this.#runs.open(runId);
    emitStart(live, record);
    if (live.events.count > 1) emitResume(live);
  }
}

/** The fields of a record while this process works on the run. */
export function atWork(): Partial<RunRecord> {
  const cleared = { imported: undefined, ended: undefined, exit: undefined, error: undefined };
  return { ...cleared, status: 'running', process: thisProcess() };
}

/** Emitted exactly once, as the first event. */
export function emitStart(live: LiveRun, { workflow, title }: RunRecord): void {
  live.events.emit('run:start', { type: 'run-start', workflow, title });
}

/** Emits the resume, unless the run has ended and only its record is missing: it does not continue. */
export function emitResume(live: LiveRun): void {
  const { lastTurn } = live.events;
  if (lastTurn?.type === 'run-end' && outcomes.includes(lastTurn.status)) return;
  const attempt = live.events.count;
  live.events.emit(`run:resume-${attempt}`, { type: 'run-resume', attempt });
}
