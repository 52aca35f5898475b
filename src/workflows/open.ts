import type { AgentSettings, World } from '../agents/settings.ts';
import type { Config } from '../base/schema/config.ts';
import type { CallServices, ServicesOf, TurnTaking } from '../council/call/services.ts';
import { Semaphore } from '../council/call/services.ts';
import { clockFrom } from '../engine/clock.ts';
import { type EngineOpening, openEngine } from '../engine/engine.ts';
import type { LiveRun, RunLease } from '../engine/live-run.ts';
import { type Home, homeAround, type RunDirectory, runDirectoryOf } from '../engine/run-directory.ts';
import { relocateInputs } from '../engine/run-files.ts';
import { readRunRecord } from '../engine/run-record.ts';
import type { StoreSetting } from '../engine/store.ts';
import { readOverrides } from '../prompts/compose.ts';
import { overrideWarnings } from '../prompts/describe.ts';
import { skillRunWorkflow } from '../skills/run/workflow.ts';
import { liteExecuteWorkflow } from './build/lite-execute.ts';
import { litePlanWorkflow } from './build/lite-plan.ts';
import { compareWorkflow } from './compare/compare.ts';
import { designWorkflow, isolatedWorkflow, reviewWorkflow } from './design/design.ts';
import { projectRun, workerDirectory } from './design/worker-place.ts';
import { featureImplementWorkflow } from './feature/implement.ts';
import { featurePhaseWorkflow } from './feature/phase.ts';
import type { RunInputs } from './inputs.ts';
import { restoreSecrets } from './redact-secrets.ts';
import { refineWorkflow } from './refine/refine.ts';
import { briefPathOf } from './refine/run.ts';
import { seatAgents } from './roster.ts';
import { scriptWorkflow } from './script/script.ts';
import { codeVersion } from './version.ts';

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
  /** The file that --config names, for processes that a run starts. */
  file: string | undefined;
};

/** The engine with every story of this program on it. */
export function openStories(
  home: Home,
  store: StoreSetting,
  world: World,
  configured: Configured,
  worker?: WorkerSide,
): Promise<EngineOpening> {
  const known = new WeakMap<LiveRun, Promise<CallServices>>();
  const slotsOf = boundsOf(worker?.parallel);
  const servicesOf: ServicesOf = (live) => {
    const place = worker === undefined ? home : homeAround(live.directory);
    const services = known.get(live) ?? makeServices(world, configured, live, place, slotsOf, worker);
    known.set(live, services);
    return services;
  };
  return openEngine({
    home,
    store,
    codeVersion,
    workflows: [
      designWorkflow(servicesOf),
      isolatedWorkflow(servicesOf),
      reviewWorkflow(servicesOf),
      compareWorkflow(servicesOf),
      litePlanWorkflow(servicesOf),
      liteExecuteWorkflow(servicesOf),
      refineWorkflow(servicesOf),
      featurePhaseWorkflow(servicesOf),
      featureImplementWorkflow(servicesOf),
      skillRunWorkflow(servicesOf),
      scriptWorkflow(servicesOf, world),
    ],
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
  const { inputs } = await readRunRecord(live.directory);
  const { roster, parallel, fromRun } = relocateInputs(inputs, home.project) as RunInputs;
  const own = worker?.agentsIn(home.project) ?? [];
  const settings =
    worker === undefined
      ? roster.map((agent) => restoreSecrets(agent, configured.agents))
      : own.filter(({ id }) => roster.some((agent) => agent.id === id));
  const agents = await seatAgents(settings, world);
  const overrides = await readOverrides(`${home.root}/prompts`);
  // Said by the project's run; its worker need not say it again.
  for (const text of run === live.directory ? overrideWarnings(overrides) : [])
    live.events.emit(`prompt-override:${text}`, { type: 'warning', text });
  return {
    agents,
    slots: slotsOf(parallel),
    turn: worker?.turn,
    project: home.project,
    overrides,
    earlierLanes: fromRun === undefined ? undefined : lanesOf(runDirectoryOf(home, fromRun)),
    nonceSeed: await firstRun(home, run.id, inputs as RunInputs),
    async variant(agent, name, { model, effort }) {
      const own = settings.find(({ id }) => id === agent);
      if (own === undefined) throw new Error(`The agent ${agent} is not in this run.`);
      const changed = {
        ...own,
        id: name,
        ...(model === undefined ? {} : { model }),
        ...(effort === undefined ? {} : { effort }),
      };
      const made = (await seatAgents([changed], world)).get(name);
      if (made === undefined) throw new Error(`The agent ${agent} could not be made.`);
      return made;
    },
    given: [briefPathOf(live.directory)],
    configFile: configured.file,
  };
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
