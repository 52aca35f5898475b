import { CharretteError } from '../../base/errors.ts';
import { type BuildFlags, prepareBuild } from '../../service/build.ts';
import {
  type CommandResult,
  type CommandSpec,
  type Invocation,
  type OptionSpec,
  printNotice,
} from '../../service/command.ts';
import { projectOf } from '../../service/project.ts';
import { givenAnswers } from './ask.ts';
import { startCommand } from './conduct.ts';
import { acceptDegraded, queueOptions, wholeNumber } from './options.ts';

const planning: readonly OptionSpec[] = [
  { flags: '-e, --explore', description: 'explore the repository even for a simple task' },
  { flags: '--force-explore', description: 'same as --explore', rare: true },
  { flags: '--plan-only', description: 'stop after the confirmed plan' },
];

const fromRun: OptionSpec = { flags: '--run <run>', description: 'implement the plan of a finished run' };

const forceCycles: OptionSpec = {
  flags: '--force-cycles',
  description: 'break a cycle of tasks where the plan starts it',
  rare: true,
};

const building: readonly OptionSpec[] = [
  { flags: '--agents <list>', description: 'use these agents, comma-separated, in order of preference' },
  { flags: '--executor <agent>', description: 'choose who implements: auto, agent, or a name' },
  { flags: '--review <agent>', description: 'choose who reviews: skip, agent, panel, or names with commas' },
  {
    flags: '--parallel <count>',
    description: 'run at most this many batches in parallel',
    parse: wholeNumber('--parallel', 1, 64),
    default: 4,
  },
  { flags: '--one-task-per-call', description: 'never give an executor two tasks in one call', rare: true },
  { flags: '--no-merge', description: 'leave the result on its own branch' },
  { flags: '--accept-drift', description: 'continue although planned files have changed since', rare: true },
  acceptDegraded,
  { flags: '--answers <file>', description: 'read answers from a JSON object of question → answer' },
  ...queueOptions,
];

export const build: CommandSpec = {
  examples: [
    ['charrette build "add rate limiting to the API"', 'plan, confirm, implement'],
    ['charrette build --plan-only task.md', 'stop after the plan; the task is in a file'],
    ['charrette build --run latest', 'implement the plan of a design or build run'],
    ['charrette build --plan TODO.md', 'implement the open boxes of a task list'],
  ],
  arguments: [['[task...]', 'the task as text, or a .md file that contains it']],
  options: [
    {
      flags: '--plan <file>',
      description: 'implement this plan: a folder with plan.json, or a .json, .md or .txt file',
    },
    fromRun,
    ...planning,
    forceCycles,
    ...building,
  ],
  dryRun: 'says',
  async run(invocation) {
    const { plan, run } = invocation.options;
    if (plan === undefined && run === undefined) return planTask(invocation);
    refuseTogether(invocation);
    return execute(invocation);
  },
};

/** Alias of `build` without its flags for existing plans. */
export const litePlan: CommandSpec = {
  examples: [
    ['charrette lite-plan "add rate limiting to the API"', 'plan, confirm, implement'],
    ['charrette lite-plan --plan-only "fix the date parser"', 'stop after the plan'],
  ],
  arguments: [['<task...>', 'the task as text, or a .md file that contains it']],
  options: [...planning, ...building],
  dryRun: 'says',
  run: planTask,
};

/** Alias of `build --plan FILE` and `build --run RUN`; a prompt is one task that is not planned. */
export const liteExecute: CommandSpec = {
  examples: [
    ['charrette lite-execute --run latest', 'implement the plan of a design or build run'],
    ['charrette lite-execute TODO.md', 'implement the open boxes of a task list'],
    ['charrette lite-execute "rename the logger" --executor codex', 'implement a prompt as one task'],
  ],
  arguments: [['[task...]', 'a prompt, a folder with plan.json, or a .json, .md or .txt file']],
  options: [fromRun, forceCycles, ...building],
  dryRun: 'says',
  run: execute,
};

/** A plan that exists is not planned, and no task is planned next to it. */
function refuseTogether({ options, arguments: [words = []] }: Invocation): void {
  const [source, other] = options['plan'] === undefined ? ['--run', undefined] : ['--plan', options['run']];
  const refused = [
    ...(other === undefined ? [] : ['--run']),
    ...(options['planOnly'] === true ? ['--plan-only'] : []),
    ...(options['explore'] === true || options['forceExplore'] === true ? ['--explore'] : []),
    ...(words.length === 0 ? [] : ['a task']),
  ];
  if (refused.length === 0) return;
  throw new CharretteError({
    code: 'usage',
    message: `${source} implements an existing plan and cannot be combined with ${refused.join(', ')}.`,
    fix: `Omit ${refused.join(', ')}, or omit ${source}.`,
  });
}

function planTask(invocation: Invocation): Promise<CommandResult> {
  return start('plan', invocation);
}

function execute(invocation: Invocation): Promise<CommandResult> {
  return start('execute', invocation);
}

async function start(mode: 'plan' | 'execute', invocation: Invocation): Promise<CommandResult> {
  const { options, global, terminal } = invocation;
  const words = (invocation.arguments[0] as string[] | undefined) ?? [];
  const flags = { ...(options as Omit<BuildFlags, 'yes'>), yes: global.yes };
  const run = await prepareBuild(projectOf(invocation), { ...flags, mode, words });
  const { inputs, warnings } = run;
  for (const warning of warnings) printNotice(terminal, warning);
  if (!global.dryRun) return startCommand(invocation, run, await givenAnswers(invocation));
  const agents = inputs.roster.map(({ id }) => id).join(', ');
  const text =
    mode === 'plan'
      ? `Would plan with ${agents}.\n`
      : `Would implement ${inputs.files?.plan.task_ids.join(', ')}.\n`;
  return { exit: 0, json: { dryRun: true, inputs }, text };
}
