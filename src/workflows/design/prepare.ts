import { statSync } from 'node:fs';
import path from 'node:path';
import type { AgentSettings, World } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import type { Config } from '../../base/schema/config.ts';
import { noPrefix, parseStepPrefix } from '../../council/breadcrumbs.ts';
import { readLedger } from '../../engine/ledger.ts';
import { homeOf, listRunIds, runDirectoryOf } from '../../engine/run-directory.ts';
import { contextWarnings, promptContext } from '../../prompts/context/for-prompt.ts';
import { openIndex } from '../../repo/index/repository-index.ts';
import { measureSize, proposeDepth, type SizeProposal } from '../../repo/index/sizing.ts';
import { agentNames, authorOf, rosterOf } from '../roster.ts';
import { callerOf } from './caller.ts';
import {
  type Depth,
  type DepthFlags,
  type DepthName,
  depthOf,
  depths,
  type Estimate,
  estimateOf,
  namedDepth,
  type Pace,
} from './depth.ts';
import type { DesignInputs } from './desk.ts';
import { seatOwnPanel } from './own-panels.ts';
import { enterRepository } from './step-1-branch.ts';
import { outFolder } from './step-5-hand-over.ts';

/** What a person or program may say about a design run; every surface hands over the same. */
export type DesignFlags = DepthFlags & {
  auto?: boolean;
  subagent?: boolean;
  agents?: string;
  author?: string;
  maxTokens?: number;
  maxUsd?: number;
  out?: string;
  reviewRounds?: string;
  fromStep?: string;
  branch?: boolean;
  acceptDegraded?: boolean;
  onQuota?: string;
  sessionEnv?: string;
  stepPrefix?: string;
  branchInfo?: string;
  trustBranchInfo?: boolean;
  unrelatedBranch?: string;
};

export type DepthProposal = SizeProposal & { costs: Record<DepthName, Estimate> };

export type PrepareOptions = {
  feature: string;
  project: string;
  /** Where relative paths in flags start. */
  cwd: string;
  flags: DesignFlags;
  world: World;
  configFile?: string | undefined;
  /** Consent to call the agents was given beforehand. */
  consented: boolean;
  /** Questions can be answered while it runs. */
  interactive: boolean;
  fromRun?: string | undefined;
  /** Only reads the repository. */
  dryRun?: boolean;
  /** `--depth auto`: takes the proposal or another depth. */
  chooseDepth: (proposal: DepthProposal) => Promise<DepthName>;
};

/** Settles everything a design run needs to know before it starts; refuses what cannot start. */
export async function prepareDesign(
  options: PrepareOptions,
): Promise<{ inputs: DesignInputs; warnings: string[] }> {
  const { feature, project, flags, world } = options;
  const { config } = await loadConfig({ project, env: world.environment, file: options.configFile });
  const named = namedDepth(flags);
  const roster = rosterOf(config, world, agentNames(flags.agents));
  const models = roster.filter(({ protocol }) => protocol !== 'static');
  const { author, warnings: authorWarnings } = authorOf(
    models.length > 0 ? models : roster,
    flags.author,
    config.author,
  );
  const wanted = flags.panel ?? (named === undefined ? config.panel : undefined) ?? 'diagonal';
  const authors = { flag: flags.author, configured: author };
  const own =
    models.length === 0
      ? undefined
      : await seatOwnPanel(wanted, { config, roster: models, author: authors, world, project });
  // What cannot be followed is refused before the repository is touched.
  const asked = named === 'auto' ? undefined : depthOf(flags, config, named, own);
  // The scout cannot argue with itself: without a model there is one brief, whatever panel was asked for.
  const settled = models.length === 0 ? depths.solo : asked;
  const sessionEnv = flags.sessionEnv === undefined ? undefined : sessionFile(options.cwd, flags.sessionEnv);
  const out = flags.out === undefined ? undefined : outFolder(options.cwd, flags.out);
  const branch = flags.branch ?? config.git?.branch !== 'never';
  const entry = await enterRepository(project, {
    feature,
    branch,
    rehearse: options.dryRun === true,
    ...optional('git', config.git),
    ...optional('branchInfo', flags.branchInfo),
    trustBranchInfo: flags.trustBranchInfo === true,
  });
  const about = { root: project, task: feature, home: world.environment['HOME'] };
  const { warnings: documents, ...texts } = await readBriefs(about);
  const characters = feature.length + (texts.brief ?? '').length;
  const pace = await earlierPace(project);
  const rates = { ...optional('prices', config.prices), ...optional('pace', pace) };
  const depth: Depth =
    settled ??
    depthOf(
      flags,
      config,
      await options.chooseDepth(await propose(options, entry.baseCommit, characters, models, rates)),
      own,
    );
  const inputs: DesignInputs = {
    feature,
    project,
    roster:
      depth.panel === 'solo'
        ? soloRoster(roster, author)
        : [...roster, ...(depth.seats === undefined ? [] : (own?.variants ?? []))],
    parallel: config.limits?.parallel ?? 8,
    auto: flags.auto === true || !options.interactive,
    quick: depth.quick,
    subagent: flags.subagent === true,
    panel: depth.panel,
    ...optional('seats', depth.seats),
    dialectic: depth.dialectic,
    debates: config.debates ?? 'bucket',
    sketches: depth.sketches,
    reviewRounds:
      flags.reviewRounds === '2' || (flags.reviewRounds === undefined && own?.rounds === 2) ? 2 : 1,
    padding: config.padding !== false,
    acceptDegraded: flags.acceptDegraded ?? config.acceptDegraded ?? false,
    ...optional('rules', config.rules),
    ...optional('quota', quotaOf(flags, config)),
    prefix: flags.stepPrefix === undefined ? noPrefix : parseStepPrefix(flags.stepPrefix),
    branch,
    entry,
    baseCommit: entry.baseCommit,
    consented: options.consented || config.consent === true,
    estimate: estimateOf(depth, characters, models.length > 0 ? models : roster, rates),
    budget: budgetOf(flags, config),
    ...optional('prices', config.prices),
    ...optional('caller', callerOf(sessionEnv)),
    ...optional('unrelatedBranch', flags.unrelatedBranch as DesignInputs['unrelatedBranch']),
    ...optional('agentSeconds', config.limits?.agentSeconds),
    ...texts,
    ...optional('author', (flags.author === undefined ? own?.author : undefined) ?? author),
    ...optional('out', out),
    ...optional('fromRun', options.fromRun),
    ...optional('fromStep', flags.fromStep),
  };
  return { inputs, warnings: [...entry.warnings, ...documents, ...authorWarnings, ...unasked(options)] };
}

/** L-182: no terminal for questions, and --auto was not given. */
function unasked({ interactive, flags, dryRun }: PrepareOptions): string[] {
  return interactive || flags.auto === true || dryRun === true
    ? []
    : [
        '**⚠ No terminal: questions and discussions are skipped as with --auto; --answers FILE switches them on.**',
      ];
}

/** L-007, L-791: the file may be missing, the directory in which a caller waits for its results may not. */
function sessionFile(cwd: string, given: string): string {
  if (given === '') return '';
  const file = path.resolve(cwd, given);
  const directory = path.dirname(file);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return file;
  throw new CharretteError({
    code: 'not-found',
    message: `The directory of --session-env does not exist: ${directory}.`,
    fix: 'Make it first, or leave --session-env out to work without a calling program.',
  });
}

/** One agent works alone: the author where one is named, else the first choice; a scout that was asked for helps it. */
function soloRoster(roster: readonly AgentSettings[], author: string | undefined): AgentSettings[] {
  const scouts = roster.filter(({ protocol }) => protocol === 'static');
  const models = roster.filter((settings) => !scouts.includes(settings));
  const chosen = models.find(({ id }) => id === author) ?? models[0];
  if (chosen !== undefined) return [chosen, ...scouts.slice(0, 1)];
  if (scouts[0] !== undefined) return [scouts[0]];
  throw new CharretteError({
    code: 'agent-not-found',
    message: 'No agent found for a solo design.',
    fix: 'Run `charrette doctor` to list the agents.',
  });
}

async function propose(
  { project, feature }: PrepareOptions,
  commit: string,
  characters: number,
  roster: readonly AgentSettings[],
  rates: Parameters<typeof estimateOf>[3],
): Promise<DepthProposal> {
  const proposal = proposeDepth(measureSize(await openIndex(project, commit), feature));
  const costs = Object.entries(depths).map(([name, depth]) => [
    name,
    estimateOf(depth, characters, roster, rates),
  ]);
  return { ...proposal, costs: Object.fromEntries(costs) };
}

const runsForPace = 20;

/** The mean time of calls in the newest runs of the project; nothing before its first call. */
async function earlierPace(project: string): Promise<Pace | undefined> {
  const home = homeOf(project);
  const entries = (await listRunIds(home))
    .slice(-runsForPace)
    .flatMap((id) => readLedger(runDirectoryOf(home, id).ledger))
    .filter(({ family, durationMs }) => family !== 'static' && durationMs > 0);
  if (entries.length === 0) return undefined;
  const mean = (of: typeof entries) =>
    of.reduce((sum, { durationMs }) => sum + durationMs, 0) / of.length / 1000;
  const byTask = new Map([...Map.groupBy(entries, ({ task }) => task)].map(([task, of]) => [task, mean(of)]));
  return { calls: entries.length, mean: mean(entries), byTask };
}

function quotaOf({ onQuota }: DesignFlags, { quota }: Config): Config['quota'] {
  if (onQuota === undefined) return quota;
  return { ...quota, onLimit: onQuota as NonNullable<NonNullable<Config['quota']>['onLimit']> };
}

function budgetOf(flags: DesignFlags, config: Config): DesignInputs['budget'] {
  return {
    ...optional('maxTokens', flags.maxTokens ?? config.limits?.maxTokens),
    ...optional('maxUsd', flags.maxUsd ?? config.limits?.maxUsd),
  };
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

type Briefs = Pick<DesignInputs, 'brief' | 'briefs'> & { warnings: string[] };

/** The design documents and specs for sketchers, planner and reviewers, as the working tree has them. */
export async function readBriefs(about: {
  root: string;
  task: string;
  home: string | undefined;
}): Promise<Briefs> {
  const [sketch, plan, review] = await Promise.all([
    promptContext({ ...about, consumer: 'sketch' }),
    promptContext({ ...about, consumer: 'plan' }),
    promptContext({ ...about, consumer: 'review' }),
  ]);
  return {
    ...(sketch.text === '' ? {} : { brief: sketch.text }),
    briefs: {
      ...(plan.text === '' ? {} : { plan: plan.text }),
      ...(review.text === '' ? {} : { review: review.text }),
    },
    warnings: contextWarnings([sketch, plan, review]),
  };
}
