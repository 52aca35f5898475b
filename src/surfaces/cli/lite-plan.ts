import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isInstalled } from '../../agents/registry.ts';
import { thisWorld } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { readJson } from '../../base/safe-json.ts';
import { pathsIn } from '../../base/text/citations.ts';
import { clockFrom } from '../../engine/clock.ts';
import { homeOf, listRunIds, runDirectoryOf } from '../../engine/run-directory.ts';
import { refuseExecutor } from '../../plan/tasks/executor.ts';
import { firstLine } from '../../plan/tasks/plan-files.ts';
import { contextWarnings, promptContext } from '../../prompts/context/for-prompt.ts';
import { repositoryFacts } from '../../repo/git/repository-facts.ts';
import {
  type CommandResult,
  type CommandSpec,
  type Invocation,
  type OptionSpec,
  printNotice,
} from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import type { LiteInputs } from '../../workflows/build/inputs.ts';
import { reviewersOf } from '../../workflows/build/rules/reviewers.ts';
import { sessionId } from '../../workflows/build/rules/session-id.ts';
import { rosterOf, seatAgents } from '../../workflows/roster.ts';
import { givenAnswers } from './ask.ts';
import { startCommand } from './conduct.ts';
import { queueOptions, wholeNumber } from './options.ts';

/** Flags of both commands. */
export const liteOptions: readonly OptionSpec[] = [
  { flags: '--agents <list>', description: 'agents by name, comma-separated, in order of preference' },
  { flags: '--executor <agent>', description: 'who carries the plan out: auto, agent, or a name' },
  { flags: '--review <agent>', description: 'who reviews: skip, agent, panel, or names with commas' },
  {
    flags: '--parallel <count>',
    description: 'batches at the same time',
    parse: wholeNumber('--parallel', 1, 64),
    default: 4,
  },
  { flags: '--one-task-per-call', description: 'never give an executor two tasks at once' },
  { flags: '--no-merge', description: 'leave the result on its own branch' },
  { flags: '--accept-drift', description: 'go on although files of the plan have changed since' },
  { flags: '--answers <file>', description: 'a JSON object of question → answer' },
  ...queueOptions,
];

export const command: CommandSpec = {
  name: 'lite-plan',
  summary: 'Explore, clarify, plan, confirm and carry out one task',
  examples: [
    ['charrette lite-plan "add rate limiting to the API"', 'with questions, then the plan'],
    ['charrette lite-plan -y "fix the date parser"', 'asks nothing'],
    ['charrette lite-plan task.md --explore', 'the task from a file, always with exploration'],
    ['charrette lite-plan --agents static "let customers cancel an order"', 'no model at all'],
  ],
  arguments: [['<task...>', 'what to do, in your words, or a .md file that says it']],
  options: [
    { flags: '-e, --explore', description: 'look through the repository in any case' },
    { flags: '--force-explore', description: 'the same' },
    { flags: '--plan-only', description: 'stop when the plan is allowed' },
    ...liteOptions,
  ],
  dryRun: 'says',
  async run(invocation) {
    const { global } = invocation;
    const text = await taskText(global.cwd, (invocation.arguments[0] as string[]).join(' ').trim());
    if (text.trim() === '') {
      throw new CharretteError({
        code: 'usage',
        message: 'The task is empty.',
        fix: 'Say what to do: `charrette lite-plan "…"`.',
      });
    }
    const inputs = await liteInputs('plan', text, invocation);
    if (global.dryRun) {
      const agents = inputs.roster.map(({ id }) => id).join(', ');
      return { exit: 0, json: { dryRun: true, inputs }, text: `Would plan with ${agents}.\n` };
    }
    return startLiteRun(inputs, firstLine(text), invocation);
  },
};

/** P-037: a task may stand in a file. */
async function taskText(cwd: string, text: string): Promise<string> {
  if (/\s/.test(text) || !/\.md$/i.test(text)) return text;
  const content = await readTextFile(path.resolve(cwd, text), 1_000_000);
  if (content !== undefined) return content;
  throw new CharretteError({ code: 'not-found', message: `The task file ${text} does not exist.` });
}

type LiteFlags = {
  agents?: string;
  executor?: string;
  review?: string;
  parallel?: number;
  oneTaskPerCall?: boolean;
  merge?: boolean;
  acceptDrift?: boolean;
  planOnly?: boolean;
  answers?: string;
};

/** Everything about the repository and the machine that a lite run needs to know before it starts. */
export async function liteInputs(
  mode: LiteInputs['mode'],
  text: string,
  invocation: Invocation,
): Promise<LiteInputs> {
  const { options, global, terminal } = invocation;
  const flags = options as LiteFlags;
  const project = findProject(global.cwd);
  const { config } = await loadConfig({ project, env: terminal.env, file: global.config });
  const repository = await repositoryFacts(project);
  if (repository.head === undefined) {
    throw new CharretteError({
      code: 'no-commits',
      message: `The repository ${repository.root} has no commit yet; a plan is stamped with the commit it was made on.`,
      fix: 'Commit once, then run the command again.',
    });
  }
  const only = flags.agents
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const brief = (consumer: 'lite-plan' | 'execute' | 'review') =>
    promptContext({ root: project, consumer, task: text, home: terminal.env['HOME'] });
  const [plan, execute, review] = await Promise.all([brief('lite-plan'), brief('execute'), brief('review')]);
  for (const warning of contextWarnings([plan, execute, review]))
    printNotice(terminal, `warning: ${warning}`);
  const roster = rosterOf(config, thisWorld(), only);
  const installed = roster.filter((settings) => isInstalled(settings, thisWorld()));
  const absent = roster.filter((settings) => !installed.includes(settings)).map(({ id }) => id);
  refuseReviewer(flags.review, installed);
  if (flags.executor !== undefined) refuseExecutor(flags.executor, await writersIn(installed));
  const now = new Date(clockFrom(terminal.env).now());
  return {
    mode,
    task: text,
    session: sessionId(text, now, await sessionsOf(now, project)),
    flags: {
      autoYes: global.yes,
      // P-012: both may be given together.
      forceExplore: options['explore'] === true || options['forceExplore'] === true,
    },
    project,
    roster,
    parallel: config.limits?.parallel ?? 8,
    baseCommit: repository.head,
    briefs: {
      ...(plan.text === '' ? {} : { plan: plan.text }),
      ...(execute.text === '' ? {} : { execute: execute.text }),
      ...(review.text === '' ? {} : { review: review.text }),
    },
    expectedReading: text.length + (await sizeOfNamed(project, text)),
    ...(flags.executor === undefined ? {} : { executor: flags.executor }),
    ...(flags.review === undefined ? {} : { review: flags.review }),
    planOnly: flags.planOnly === true,
    ...(absent.length === 0 ? {} : { absent }),
    consented: global.yes || config.consent === true,
    cap: flags.parallel ?? 4,
    tasksPerBatch: flags.oneTaskPerCall === true ? 1 : 4,
    merge: flags.merge !== false,
    acceptDrift: flags.acceptDrift === true,
    ...(config.prices === undefined ? {} : { prices: config.prices }),
  };
}

/** P-125: a reviewer who is not there is refused before anything is done. */
export function refuseReviewer(review = 'skip', roster: LiteInputs['roster']): void {
  const able = roster.filter(({ protocol }) => protocol !== 'static').map(({ id }) => id);
  reviewersOf(review, able);
}

/** Agents that can change files. */
async function writersIn(roster: LiteInputs['roster']): Promise<string[]> {
  const agents = [...(await seatAgents(roster, thisWorld())).values()];
  return agents.filter(({ capabilities }) => capabilities.write).map(({ id }) => id);
}

export async function startLiteRun(
  inputs: LiteInputs,
  title: string,
  invocation: Invocation,
): Promise<CommandResult> {
  const run = { workflow: `lite-${inputs.mode}`, title, inputs, baseCommit: inputs.baseCommit };
  return startCommand(invocation, run, await givenAnswers(invocation));
}

/** P-032: session names of that day that runs of this project have taken. A name ends with its day, and so begins an id. */
async function sessionsOf(now: Date, project: string): Promise<Set<string>> {
  const home = homeOf(project);
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const taken = new Set<string>();
  for (const id of await listRunIds(home)) {
    if (id < day) continue;
    const text = await readTextFile(runDirectoryOf(home, id).record).catch(() => undefined);
    const reading = readJson(text ?? '');
    const record = reading.ok ? (reading.value as { inputs?: { session?: unknown } }) : undefined;
    if (typeof record?.inputs?.session === 'string') taken.add(record.inputs.session);
  }
  return taken;
}

/** P-041: how much there is to read in the files that the task names. */
async function sizeOfNamed(project: string, task: string): Promise<number> {
  const names = [...new Set(pathsIn(task).map((place) => place.path))].filter((name) => !name.includes('..'));
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(project, name)).then(
        (facts) => facts.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
