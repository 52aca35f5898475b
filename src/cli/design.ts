import path from 'node:path';
import { thisWorld } from '../agents/settings.ts';
import { loadConfig } from '../config/config.ts';
import { promptContext } from '../context/for-prompt.ts';
import { clockFrom, idsFrom } from '../engine/clock.ts';
import { homeOf } from '../engine/run-directory.ts';
import { CharretteError } from '../errors.ts';
import { noPrefix, parseStepPrefix } from '../panel/breadcrumbs.ts';
import { panelNames } from '../panel/panels.ts';
import type { Config } from '../schema/config.ts';
import { createRun } from '../workflows/create-run.ts';
import { callerOf } from '../workflows/design/caller.ts';
import { type DepthFlags, depthOf, estimateOf } from '../workflows/design/depth.ts';
import { enterRepository } from '../workflows/design/entry.ts';
import type { DesignInputs } from '../workflows/design/state.ts';
import { rosterOf } from '../workflows/roster.ts';
import { readAnswerFile } from './ask.ts';
import type { CommandSpec, Invocation } from './command.ts';
import { conductRun } from './conduct.ts';
import { findHome, findProject, findRun } from './project.ts';

export const command: CommandSpec = {
  name: 'design',
  summary: 'Several agents sketch, argue, plan, review and vote; you get one plan',
  examples: [
    ['charrette design "add rate limiting to the API"', 'the whole panel, with questions'],
    ['charrette design --auto --quick "rename the logger"', 'two sketches, no questions'],
    [
      'charrette design --agents claude,codex --max-usd 5 "split the billing module"',
      'chosen agents, a limit on money',
    ],
    ['charrette design --agents static "let customers cancel an order"', 'no model at all'],
  ],
  arguments: [['<feature...>', 'what to design, in your words']],
  flagsFirst: true,
  options: [
    { flags: '--auto', description: 'ask nothing: skip questions and discussions' },
    { flags: '--subagent', description: 'run the heavy phase in a process of its own' },
    { flags: '--quick', description: 'two generic sketches instead of four stances' },
    { flags: '--solo', description: 'one agent alone, same plan format' },
    {
      flags: '--depth <depth>',
      description: 'defaults of the sizing flags',
      choices: ['solo', 'quick', 'regular', 'wide'],
    },
    { flags: '--panel <name>', description: 'who sits where', choices: panelNames },
    { flags: '--agents <list>', description: 'agents by name, comma-separated, in order of preference' },
    { flags: '--author <agent>', description: 'who writes synthesis, plan and revision' },
    {
      flags: '--dialectic <mode>',
      description: 'debates on contested decisions',
      choices: ['off', 'advisory', 'binding'],
    },
    { flags: '--sketches <count>', description: 'how many sketches', choices: ['0', '2', '4'] },
    {
      flags: '--max-tokens <count>',
      description: 'pause and ask when this many tokens are used',
      parse: positive('--max-tokens'),
    },
    {
      flags: '--max-usd <amount>',
      description: 'pause and ask when this much is spent',
      parse: positive('--max-usd'),
    },
    { flags: '--out <dir>', description: 'copy the artifacts there as well' },
    { flags: '--no-branch', description: 'stay on the current branch' },
    {
      flags: '--session-env <file>',
      description: 'session environment of a calling program; results go to its directory',
    },
    { flags: '--step-prefix <prefix>', description: 'number and path before step names: `1.::design plan`' },
    {
      flags: '--branch-info <facts>',
      description: 'IS_MAIN=… IS_USER_BRANCH=… USER_PREFIX=… CURRENT_BRANCH=…',
    },
    { flags: '--trust-branch-info', description: 'take --branch-info without asking git' },
    {
      flags: '--from-run <run>',
      description: 'take over finished answers of an earlier run where the request is the same',
    },
    { flags: '--answers <file>', description: 'a JSON object of question → answer' },
  ],
  async run(invocation) {
    const feature = (invocation.arguments[0] as string[]).join(' ').trim();
    if (feature === '') {
      // L-013: nothing is touched before there is something to design.
      throw new CharretteError({
        code: 'usage',
        message: 'The feature is empty.',
        fix: 'Say what to design: `charrette design "…"`.',
      });
    }
    const { options, global, terminal } = invocation;
    const project = findProject(global.cwd);
    const { inputs, baseCommit } = await prepare(feature, project, invocation);
    if (global.dryRun) return { exit: 0, json: { dryRun: true, inputs }, text: describe(inputs) };
    const home = homeOf(project);
    const run = await createRun(
      home,
      { workflow: 'design', title: feature, inputs, baseCommit },
      { clock: clockFrom(terminal.env), ids: idsFrom(terminal.env) },
    );
    const given =
      typeof options['answers'] === 'string'
        ? await readAnswerFile(options['answers'])
        : new Map<string, string>();
    return conductRun(home, run, invocation, given);
  },
};

async function prepare(
  feature: string,
  project: string,
  { options, global, terminal }: Invocation,
): Promise<{ inputs: DesignInputs; baseCommit: string | undefined }> {
  const flags = options as DepthFlags & {
    auto?: boolean;
    subagent?: boolean;
    agents?: string;
    author?: string;
    maxTokens?: number;
    maxUsd?: number;
    out?: string;
    branch?: boolean;
    fromRun?: string;
    sessionEnv?: string;
    stepPrefix?: string;
    branchInfo?: string;
    trustBranchInfo?: boolean;
  };
  const { config } = await loadConfig({ project, env: terminal.env, file: global.config });
  const depth = depthOf(flags, config);
  const roster = rosterOf(
    config,
    thisWorld(),
    flags.agents
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  );
  const chosen = depth.panel === 'solo' ? roster.slice(0, 1) : roster;
  const branch = flags.branch !== false && config.branch !== false;
  const entry = await enterRepository(project, {
    branch,
    ...optional('branchInfo', flags.branchInfo),
    trustBranchInfo: flags.trustBranchInfo === true,
  });
  for (const warning of entry.warnings) if (!global.quiet) terminal.stderr.write(`${warning}\n`);
  const { baseCommit } = entry;
  const brief = await promptContext({ root: project, consumer: 'sketch', task: feature });
  const fromRun =
    flags.fromRun === undefined ? undefined : (await findRun(findHome(global.cwd), flags.fromRun)).id;
  const inputs: DesignInputs = {
    feature,
    project,
    roster: chosen,
    parallel: config.limits?.parallel ?? 8,
    auto: flags.auto === true || !global.input,
    quick: depth.quick,
    subagent: flags.subagent === true,
    panel: depth.panel,
    prefix: flags.stepPrefix === undefined ? noPrefix : parseStepPrefix(flags.stepPrefix),
    ...optional(
      'caller',
      callerOf(flags.sessionEnv === undefined ? undefined : path.resolve(global.cwd, flags.sessionEnv)),
    ),
    dialectic: depth.dialectic,
    sketches: depth.sketches,
    reviewRounds: 1,
    padding: config.padding !== false,
    branch,
    entry,
    consented: global.yes || config.consent === true,
    estimate: estimateOf(depth, feature.length + brief.text.length),
    budget: budgetOf(flags, config),
    baseCommit,
    ...(brief.text === '' ? {} : { brief: brief.text }),
    ...optional('author', flags.author ?? config.author),
    ...optional('out', flags.out === undefined ? undefined : path.resolve(global.cwd, flags.out)),
    ...optional('fromRun', fromRun),
  };
  return { inputs, baseCommit };
}

function budgetOf(flags: { maxTokens?: number; maxUsd?: number }, config: Config): DesignInputs['budget'] {
  return {
    ...optional('maxTokens', flags.maxTokens ?? config.limits?.maxTokens),
    ...optional('maxUsd', flags.maxUsd ?? config.limits?.maxUsd),
  };
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

function describe(inputs: DesignInputs): string {
  const agents = inputs.roster.map(({ id }) => id).join(', ');
  return `Would design with ${agents}: ${inputs.sketches} sketches, dialectic ${inputs.dialectic}, about ${inputs.estimate.calls} calls.\n`;
}

function positive(flag: string) {
  return (value: string) => {
    const number = Number(value);
    if (Number.isFinite(number) && number > 0) return number;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} was ${JSON.stringify(value)}; it takes a number above 0.`,
    });
  };
}
