import type { World } from '../agents/settings.ts';
import { clockFrom } from '../engine/clock.ts';
import { type EngineOpening, openEngine } from '../engine/engine.ts';
import type { LiveRun } from '../engine/live-run.ts';
import { type Home, runDirectoryOf } from '../engine/run-directory.ts';
import { readRunRecord } from '../engine/run-record.ts';
import type { StoreSetting } from '../engine/store.ts';
import { readOverrides } from '../prompts/overrides.ts';
import type { Config } from '../schema/config.ts';
import { skillRunWorkflow } from '../skills/run/workflow.ts';
import { compareWorkflow } from './compare/compare.ts';
import { designWorkflow, heavyWorkflow, reviewWorkflow } from './design/design.ts';
import { featureImplementWorkflow } from './feature/implement.ts';
import { featurePhaseWorkflow } from './feature/phase.ts';
import type { RunInputs } from './inputs.ts';
import { laneWorkflow } from './lane.ts';
import { liteExecuteWorkflow } from './lite/lite-execute.ts';
import { litePlanWorkflow } from './lite/lite-plan.ts';
import { refineWorkflow } from './refine/refine.ts';
import { seatAgents } from './roster.ts';
import { Semaphore } from './semaphore.ts';
import { agentOf, type RunServices, type ServicesOf } from './services.ts';
import { codeVersion } from './version.ts';
import { giveBack } from './withheld.ts';

/** The engine with every story of this program on it. */
export function openStories(
  home: Home,
  store: StoreSetting,
  world: World,
  agents: Config['agents'],
): Promise<EngineOpening> {
  const known = new Map<string, Promise<RunServices>>();
  const slots = new Map<number, Semaphore>();
  const servicesOf: ServicesOf = (live) => {
    const services = known.get(live.directory.id) ?? makeServices(home, world, agents, live, slots);
    known.set(live.directory.id, services);
    return services;
  };
  const lane = laneWorkflow(servicesOf);
  return openEngine({
    home,
    store,
    codeVersion,
    workflows: [
      designWorkflow(lane, servicesOf),
      heavyWorkflow(lane, servicesOf),
      reviewWorkflow(lane, servicesOf),
      compareWorkflow(lane, servicesOf),
      litePlanWorkflow(lane, servicesOf),
      liteExecuteWorkflow(lane, servicesOf),
      refineWorkflow(lane, servicesOf),
      featurePhaseWorkflow(servicesOf),
      featureImplementWorkflow(servicesOf),
      skillRunWorkflow(async (live, id) => agentOf(await servicesOf(live), id)),
    ],
    children: [lane],
    clock: clockFrom(world.environment),
  });
}

async function makeServices(
  home: Home,
  world: World,
  configured: Config['agents'],
  live: LiveRun,
  slots: Map<number, Semaphore>,
): Promise<RunServices> {
  const { inputs } = await readRunRecord(live.directory);
  const { roster, parallel, project, fromRun } = inputs as RunInputs;
  const shared = slots.get(parallel) ?? new Semaphore(parallel);
  slots.set(parallel, shared);
  return {
    agents: await seatAgents(
      roster.map((settings) => giveBack(settings, configured)),
      world,
    ),
    slots: shared,
    project,
    overrides: await readOverrides(`${home.root}/prompts`),
    earlierLanes: fromRun === undefined ? undefined : runDirectoryOf(home, fromRun).lanes,
    nonceSeed: await firstRun(home, live.directory.id, inputs as RunInputs),
  };
}

/** The run that a chain of `--from-run` began with; prompts are the same only when their delimiters are. */
async function firstRun(home: Home, id: string, { fromRun }: RunInputs): Promise<string> {
  if (fromRun === undefined) return id;
  const earlier = await readRunRecord(runDirectoryOf(home, fromRun)).catch(() => undefined);
  return earlier === undefined ? fromRun : firstRun(home, fromRun, earlier.inputs as RunInputs);
}
