import { withinCallSlots } from '../agents/accounts.ts';
import type { AgentSettings, World } from '../agents/settings.ts';
import type { Config } from '../base/schema/config.ts';
import { defaultMaxHours } from '../council/call/limits.ts';
import { type CallServices, Semaphore, type TurnTaking, type WorkflowStart } from '../council/call/once.ts';
import { concludeDegraded } from '../council/health.ts';
import { clockFrom } from '../engine/clock.ts';
import { type EngineOpening, openEngine } from '../engine/engine.ts';
import type { LiveRun, RunLease } from '../engine/live-run.ts';
import {
  type Home,
  homeAround,
  projectRun,
  type RunDirectory,
  relocateInputs,
  runDirectoryOf,
  workerDirectory,
} from '../engine/run-directory.ts';
import { readRunRecord } from '../engine/run-record.ts';
import type { StoreSetting } from '../engine/store.ts';
import type { Outcome } from '../engine/workflow.ts';
import { overrideWarnings } from '../prompts/describe.ts';
import { readOverrides } from '../prompts/part.ts';
import { briefPathOf, codeVersion, type RunInputs } from './create-run.ts';
import { restoreSecrets, seatAgents } from './roster.ts';
import type { ScriptInputs } from './script/inputs.ts';

/** What is different where runs come from a queue. */
export type WorkerSide = {
  guard: RunLease;
  /** The agents of a project as they are declared here: what to execute never comes out of a store. */
  agentsIn(project: string): readonly AgentSettings[];
  /** Takes turns with agents under the limits that all workers share. */
  turn: TurnTaking;
  /** Calls at the same time in this process, whatever the runs' own clones allow. */
  parallel: number;
};

/** What the configuration says here. */
export type Configured = {
  agents: Config['agents'];
  quota?: Config['quota'];
  /** The file that --config names, for processes that a run starts. */
  file: string | undefined;
};

/** Every workflow by the name that run.json has; its code is loaded when a run of it starts. */
const workflows: Record<string, () => Promise<(...run: WorkflowStart<never>) => Promise<Outcome>>> = {
  design: async () => (await import('./design/design.ts')).design,
  'design-heavy': async () => (await import('./design/design.ts')).isolatedDesign,
  'design-review': async () => (await import('./design/design.ts')).reviewEdited,
  review: async () => (await import('./review/review.ts')).review,
  compare: async () => (await import('./compare/compare.ts')).compare,
  'lite-plan': async () => (await import('./build/lite-plan.ts')).litePlan,
  'lite-execute': async () => (await import('./build/lite-execute.ts')).liteExecute,
  refine: async () => (await import('./refine/refine.ts')).refine,
  'feature-phase': async () => (await import('./feature/phase.ts')).featurePhase,
  'feature-implement': async () => (await import('./feature/implement.ts')).featureImplement,
  'skill-run': async () => (await import('../skills/run/workflow.ts')).skillRun,
};

/** A workflow file, in a process that gets what this world allows. */
const runScript =
  (world: World) =>
  async (...start: WorkflowStart<ScriptInputs>) =>
    (await import('./script/script.ts')).script(world, ...start);

/** The engine with every workflow of this program. */
export function openWorkflows(
  home: Home,
  store: StoreSetting,
  world: World,
  configured: Configured,
  worker?: WorkerSide,
): Promise<EngineOpening> {
  const known = new WeakMap<LiveRun, Promise<CallServices>>();
  const slotsOf = boundsOf(worker?.parallel);
  const servicesOf = (live: LiveRun) => {
    const place = worker === undefined ? home : homeAround(live.directory);
    const services = known.get(live) ?? makeServices(world, configured, live, place, slotsOf, worker);
    known.set(live, services);
    return services;
  };
  return openEngine({
    home,
    store,
    codeVersion,
    workflows: Object.entries({ ...workflows, script: async () => runScript(world) }).map(([name, load]) => ({
      name,
      run: async (context, inputs) => {
        const outcome = await (await load())(context, await servicesOf(context.live), inputs as never);
        const { acceptDegraded } = inputs as RunInputs;
        // What a worker lost is named by the project's run.
        const isWorker = projectRun(context.live.directory) !== context.live.directory;
        return isWorker ? outcome : concludeDegraded(context, outcome, acceptDegraded === true);
      },
    })),
    clock: clockFrom(world.environment),
    ...(worker === undefined ? {} : { guard: worker.guard }),
  });
}

/** The places for calls in this process: one number of them for all runs, or that of each run's own record. */
function boundsOf(all: number | undefined): (run: number) => Semaphore {
  const known = new Map<number, Semaphore>();
  return (run) => {
    const size = all ?? run;
    const slots = known.get(size) ?? new Semaphore(size);
    known.set(size, slots);
    return slots;
  };
}

async function makeServices(
  world: World,
  configured: Configured,
  live: LiveRun,
  place: Home,
  slotsOf: (run: number) => Semaphore,
  worker: WorkerSide | undefined,
): Promise<CallServices> {
  const run = projectRun(live.directory);
  const home = run === live.directory ? place : homeAround(run);
  const { workflow, inputs } = await readRunRecord(live.directory);
  const { roster, parallel, fromRun, quota, ...rest } = relocateInputs(inputs, home.project) as RunInputs;
  const isAuto = (rest as { auto?: boolean }).auto === true;
  const onLimit = quota?.onLimit ?? configured.quota?.onLimit ?? 'ask';
  const own = worker?.agentsIn(home.project) ?? [];
  const settings =
    worker === undefined
      ? roster.map((agent) => restoreSecrets(agent, configured.agents))
      : roster.flatMap(({ id, variantOf, model, effort, family }) => {
          const declared = own.find((agent) => agent.id === (variantOf ?? id));
          if (declared === undefined || variantOf === undefined) return declared ?? [];
          return { ...declared, id, variantOf, ...defined({ model, effort, family }) };
        });
  const known = new Map(settings.map((agent) => [agent.id, agent]));
  const agents = await seatAgents(settings, world);
  const overrides = await readOverrides(`${home.root}/prompts`);
  // Said by the project's run; its worker need not say it again.
  for (const text of run === live.directory ? overrideWarnings(overrides) : [])
    live.events.emit(`prompt-override:${text}`, { type: 'warning', text });
  return {
    agents,
    slots: slotsOf(parallel),
    turn: (agent, signal, body) => {
      const own = known.get(agent);
      const within = () => (own === undefined ? body() : withinCallSlots(own, world, signal, body));
      return worker === undefined ? within() : worker.turn(own?.variantOf ?? agent, signal, within);
    },
    limitRule: {
      onLimit: onLimit === 'ask' && isAuto ? 'fallback' : onLimit,
      maxWaitHours: quota?.maxWait ?? configured.quota?.maxWait ?? defaultMaxHours,
    },
    mayAsk: !isPartOfRun(workflow, rest),
    project: home.project,
    overrides,
    earlierLanes: fromRun === undefined ? undefined : lanesOf(runDirectoryOf(home, fromRun)),
    nonceSeed: await firstRun(home, run.id, inputs as RunInputs),
    async variant(agent, name, { model, effort }) {
      const own = known.get(agent);
      if (own === undefined) throw new Error(`The agent ${agent} is not in this run.`);
      const changed = {
        ...own,
        id: name,
        variantOf: own.variantOf ?? agent,
        ...(model === undefined ? {} : { model }),
        ...(effort === undefined ? {} : { effort }),
      };
      known.set(name, changed);
      const made = (await seatAgents([changed], world)).get(name);
      if (made === undefined) throw new Error(`The agent ${agent} could not be made.`);
      return made;
    },
    given: [briefPathOf(live.directory)],
    configFile: configured.file,
  };
}

/** A worker of a design, or a design of a comparison: the run that started it waits for its end alone. */
function isPartOfRun(workflow: string, inputs: object): boolean {
  return workflow === 'design-heavy' || (workflow === 'design' && !('entry' in inputs));
}

function defined<Value extends object>(value: Value): { [K in keyof Value]: Exclude<Value[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never;
}

/** Where the answers of a run are: its own, and those that its worker got. */
function lanesOf(run: RunDirectory): string[] {
  return [run.lanes, workerDirectory(run).lanes];
}

/** The run that a chain of `--from-run` began with; prompts are the same only when their delimiters are. */
async function firstRun(home: Home, id: string, { fromRun }: RunInputs): Promise<string> {
  if (fromRun === undefined) return id;
  const earlier = await readRunRecord(runDirectoryOf(home, fromRun)).catch(() => undefined);
  return earlier === undefined ? fromRun : firstRun(home, fromRun, earlier.inputs as RunInputs);
}
