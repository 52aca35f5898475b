import type { World } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { seatAgents as seatOnChairs } from '../../council/seating.ts';
import type { Price } from '../../engine/ledger.ts';
import type { RunInputs } from '../create-run.ts';
import { addEstimates, type DepthName, type Estimate } from '../design/depth.ts';
import type { DesignInputs } from '../design/desk.ts';
import { prepareDesign } from '../design/prepare.ts';
import { agentNames, authorOf, rosterOf, seatAgents } from '../roster.ts';
import { benchFor } from './judging.ts';
import type { CompareTask } from './task-file.ts';

/** What `compare` was asked to do; both designs of every task are settled before anything runs. */
export type CompareInputs = RunInputs & {
  tasks: (CompareTask & { solo: DesignInputs; panel: DesignInputs })[];
  /** Name of the panel's depth, for the report. */
  depth: string;
  baseCommit: string;
  /** What was untracked or changed before any agent ran. */
  tree: { untracked?: string[] | undefined; changed: string[] };
  consented: boolean;
  /** A person said beforehand that the cost is all right. */
  confirmed: boolean;
  estimate: DesignInputs['estimate'];
  budget: DesignInputs['budget'];
  agentSeconds?: number;
  prices?: Readonly<Record<string, Price>>;
};

export type CompareFlags = {
  depth?: string;
  agents?: string;
  author?: string;
  maxTokens?: number;
  maxUsd?: number;
  acceptDegraded?: boolean;
};

export type PrepareCompareOptions = {
  tasks: readonly CompareTask[];
  project: string;
  cwd: string;
  flags: CompareFlags;
  world: World;
  configFile?: string | undefined;
  /** Consent and cost were agreed to beforehand. */
  consented: boolean;
};

/** Settles both designs of every task before anything runs: the same repository and agents, and no questions. */
export async function prepareCompare(
  options: PrepareCompareOptions,
): Promise<{ inputs: CompareInputs; warnings: string[] }> {
  const { project, flags, world } = options;
  const { config } = await loadConfig({ project, env: world.environment, file: options.configFile });
  const roster = rosterOf(config, world, agentNames(flags.agents));
  const agents = [...(await seatAgents(roster, world)).values()].map(({ id, family }) => ({ id, family }));
  // The one who works alone is the one who writes for the panel: only the panel makes the difference.
  const author =
    seatOnChairs(agents, authorOf(roster, flags.author, config.author).author).author ?? agents[0];
  const depth = (flags.depth ?? 'regular') as DepthName;
  const prepare = (feature: string, name: DepthName) =>
    prepareDesign({
      ...options,
      feature,
      flags: {
        depth: name,
        auto: true,
        branch: false,
        ...(flags.agents === undefined ? {} : { agents: flags.agents }),
        ...(author === undefined ? {} : { author: author.id }),
      },
      interactive: false,
      chooseDepth: async (proposal) => proposal.depth,
    });
  const warnings = new Set<string>();
  const tasks: CompareInputs['tasks'] = [];
  const estimates: Estimate[] = [];
  let entry: DesignInputs['entry'];
  for (const task of options.tasks) {
    const solo = await prepare(task.feature, 'solo');
    const panel = await prepare(task.feature, depth);
    for (const warning of [...solo.warnings, ...panel.warnings]) warnings.add(warning);
    entry ??= solo.inputs.entry;
    estimates.push(solo.inputs.estimate, panel.inputs.estimate);
    tasks.push({ ...task, solo: unattended(solo.inputs), panel: unattended(panel.inputs) });
  }
  const { judges } = benchFor(agents, author === undefined ? [] : [author.family]);
  const { maxTokens = config.limits?.maxTokens, maxUsd = config.limits?.maxUsd } = flags;
  return {
    inputs: {
      tasks,
      roster,
      project,
      parallel: config.limits?.parallel ?? 8,
      depth,
      acceptDegraded: flags.acceptDegraded ?? config.acceptDegraded ?? false,
      baseCommit: entry?.baseCommit ?? '',
      tree: { untracked: entry?.untracked, changed: entry?.changed ?? [] },
      consented: options.consented || config.consent === true,
      confirmed: options.consented,
      estimate: addEstimates([...estimates, judging(estimates, tasks.length * judges.length * 2)]),
      budget: {
        ...(maxTokens === undefined ? {} : { maxTokens }),
        ...(maxUsd === undefined ? {} : { maxUsd }),
      },
      ...(config.limits?.agentSeconds === undefined ? {} : { agentSeconds: config.limits.agentSeconds }),
      ...(config.prices === undefined ? {} : { prices: config.prices }),
    },
    warnings: [...warnings],
  };
}

/** The comparison itself asks, guards the tree and holds the budget, for all its runs together. */
function unattended({ entry: _, ...inputs }: DesignInputs): DesignInputs {
  return { ...inputs, consented: true, budget: {} };
}

/** A judge reads as much as anybody else does in one call. */
function judging(designs: readonly Estimate[], calls: number): Estimate {
  const all = addEstimates(designs);
  const share = all.calls === 0 ? 0 : calls / all.calls;
  return {
    calls,
    tokens: Math.round(all.tokens * share),
    ...(all.usd === undefined ? {} : { usd: all.usd * share }),
  };
}
