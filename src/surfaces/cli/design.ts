import { isUtf8 } from 'node:buffer';
import { thisWorld } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import { stepOrder } from '../../council/breadcrumbs.ts';
import { allUp } from '../../council/health.ts';
import { describeUnused, seatPanel, type Table, unseatedAgents } from '../../council/seating.ts';
import {
  type CommandSpec,
  type Invocation,
  type OptionSpec,
  printNotice,
  type Terminal,
} from '../../service/command.ts';
import { maxFeatureBytes, prepareDesignRun } from '../../service/design.ts';
import { noteText } from '../../service/event-lines.ts';
import { projectOf } from '../../service/project.ts';
import { type DepthName, describeEstimate } from '../../workflows/design/depth.ts';
import type { DesignInputs } from '../../workflows/design/desk.ts';
import type { DepthProposal, DesignFlags } from '../../workflows/design/prepare.ts';
import { seatAgents } from '../../workflows/roster.ts';
import { givenAnswers, makeAnswerProvider, remoteAnswersOption } from './ask.ts';
import { startCommand } from './conduct.ts';
import { columns } from './help.ts';
import { acceptDegraded, positive, queueOptions } from './options.ts';

const truth = ['true', 'false'];

/** Flags that shape single steps, and the protocol of calling programs. */
const rareOptions: readonly OptionSpec[] = (
  [
    { flags: '--quick', description: 'same as --depth quick: two generic sketches' },
    { flags: '--solo', description: 'same as --depth solo: one agent alone' },
    { flags: '--author <agent>', description: 'choose who writes synthesis, plan and revision' },
    { flags: '--sketches <count>', description: 'ask for this many sketches', choices: ['0', '2', '4'] },
    {
      flags: '--review-rounds <count>',
      description: 'review again while the round before changed the plan',
      choices: ['1', '2'],
    },
    {
      flags: '--max-tokens <count>',
      description: 'pause and ask when this many tokens are used',
      parse: positive('--max-tokens'),
    },
    {
      flags: '--from-step <step>',
      description: 'with --from-run: repeat this step and all after it',
      choices: stepOrder,
      needs: '--from-run',
    },
    { flags: '--subagent', description: 'run sketches to review in a separate process' },
    acceptDegraded,
    {
      flags: '--on-quota <what>',
      description: 'when an account is used up: wait for its reset, use other agents, ask or stop',
      choices: ['ask', 'wait', 'fallback', 'stop'],
    },
    { flags: '--branch', description: 'create a branch even if `git.branch` is never' },
    {
      flags: '--unrelated-branch <what>',
      description: 'stay on your branch although it seems unrelated, or leave it',
      choices: ['keep', 'leave'],
    },
    {
      flags: '--session-env <file>',
      description: 'read the session environment of a calling program; results go to its directory',
    },
    {
      flags: '--step-prefix <prefix>',
      description: 'prefix step names with a number and a path: `1.::design plan`',
    },
    {
      flags: '--branch-info <facts>',
      description: 'pass IS_MAIN=… IS_USER_BRANCH=… USER_PREFIX=… CURRENT_BRANCH=…',
    },
    { flags: '--current-branch <name>', description: 'pass one fact of --branch-info: the branch' },
    { flags: '--is-main <answer>', description: 'pass whether it is the main branch', choices: truth },
    { flags: '--is-user-branch <answer>', description: 'pass whether it is your own', choices: truth },
    { flags: '--user-prefix <prefix>', description: 'pass the prefix of your branches' },
    { flags: '--trust-branch-info', description: 'use --branch-info without asking git' },
    remoteAnswersOption,
    ...queueOptions,
  ] satisfies OptionSpec[]
).map((option) => ({ ...option, rare: true }));

export const command: CommandSpec = {
  examples: [
    ['charrette design "add rate limiting to the API"', 'the whole panel, with questions'],
    ['charrette design --auto --depth quick "rename the logger"', 'two sketches, no questions'],
    ['charrette design --agents claude,codex --max-usd 5 "split billing"', 'chosen agents, a spending limit'],
    ['charrette design --agents static "let customers cancel"', 'a brief without any model'],
  ],
  arguments: [['<feature...>', 'what to design; - reads it from stdin']],
  flagsEndWith: 'session-env',
  options: [
    { flags: '--auto', description: 'ask nothing: skip questions and discussions' },
    {
      flags: '--depth <depth>',
      description: 'choose the size of the panel',
      choices: ['auto', 'solo', 'quick', 'regular', 'wide'],
    },
    { flags: '--agents <list>', description: 'use these agents, comma-separated, in order of preference' },
    { flags: '--panel <name>', description: 'choose the panel: built-in, or from the configuration' },
    {
      flags: '--dialectic <mode>',
      description: 'debate contested decisions',
      choices: ['off', 'advisory', 'binding'],
    },
    {
      flags: '--max-usd <amount>',
      description: 'pause and ask when this much is spent',
      parse: positive('--max-usd'),
    },
    { flags: '--no-branch', description: 'stay on the current branch' },
    { flags: '--answers <file>', description: 'read answers from a JSON object of question → answer' },
    {
      flags: '--from-run <run>',
      description: 'reuse finished answers of an earlier run where the request is the same',
    },
    { flags: '--out <dir>', description: 'also copy the artifacts to this folder' },
    ...rareOptions,
  ],
  dryRun: 'says',
  async run(invocation) {
    const { options, global, terminal } = invocation;
    const feature = await readFeature(invocation.arguments[0] as string[], terminal);
    const flags = { ...(options as DesignFlags & { fromRun?: string }), ...branchInfoOf(options) };
    // L-013: without a feature nothing is read.
    const given = feature === '' ? undefined : await givenAnswers(invocation);
    const run = await prepareDesignRun(projectOf(invocation), {
      workflow: 'design',
      feature,
      ...flags,
      consented: global.yes,
      dryRun: global.dryRun,
      // An answers file asks for questions; what the file lacks pauses the run.
      interactive:
        global.input ||
        options['answers'] !== undefined ||
        options['remoteAnswers'] === true ||
        options['detach'] === true,
      chooseDepth: (proposal) => chooseDepth(proposal, invocation),
    });
    const { inputs, warnings } = run;
    if (!global.quiet)
      for (const warning of warnings) printNotice(terminal, warningLine(warning, invocation));
    if (global.dryRun) return { exit: 0, ...(await describe(inputs)) };
    return startCommand(invocation, run, given);
  },
};

/** A warning from before the run: with text emphasis in plain output, without it in the live view. */
function warningLine(warning: string, { global, terminal }: Invocation): string {
  if (terminal.stderr.isTTY === true && !global.plain) return ` ⚠ ${noteText(warning)}`;
  return warning.startsWith('**') ? warning : `**⚠ ${warning}**`;
}

/** Prints what was measured and what each depth would cost; asks only on a terminal. */
async function chooseDepth(
  proposal: DepthProposal,
  { global, terminal, signal }: Invocation,
): Promise<DepthName> {
  const { predictedFiles, wordingOnly } = proposal.measure;
  const files = predictedFiles.length === 0 ? '' : ` (${predictedFiles.slice(0, 6).join(', ')})`;
  const reasons = proposal.reasons.map(
    ({ measure, value, points }) =>
      [measure, `${value} → ${points} points${measure === 'predicted files' ? files : ''}`] as const,
  );
  const why = wordingOnly ? 'a change of wording alone' : `${proposal.points} points`;
  const costs = Object.entries(proposal.costs).map(
    ([name, estimate]) => [name, describeEstimate(estimate)] as const,
  );
  if (!global.quiet) {
    const lines = [...columns(reasons), '', ...columns(costs), `proposed: ${proposal.depth} (${why})`];
    printNotice(terminal, lines.join('\n'));
  }
  if (!global.input || global.yes) return proposal.depth;
  const options = Object.keys(proposal.costs).map((value) => ({ value, label: value }));
  const question = {
    id: 'depth',
    text: 'How deep should the panel go?',
    options,
    recommended: proposal.depth,
  };
  const answers = await makeAnswerProvider(global, terminal, new Map())([question], signal);
  return (answers?.[0]?.value ?? proposal.depth) as DepthName;
}

/** What a run would do, and who would sit where if every agent answers. */
async function describe(inputs: DesignInputs): Promise<{ json: object; text: string }> {
  const models = inputs.roster.filter(({ protocol }) => protocol !== 'static');
  const agents = [...(await seatAgents(models, thisWorld())).values()];
  const unused = unseatedAgents(agents, inputs);
  const used = inputs.roster.map(({ id }) => id).filter((id) => !unused.includes(id));
  const rest = unused.length === 0 ? '' : ` Agents ${describeUnused(unused)}.`;
  const seats = agents.length === 0 ? {} : seatsOf(seatPanel(agents, allUp(agents), inputs));
  const table = columns(Object.entries(seats).map(([role, names]) => [role, names.join(', ')] as const));
  const what = `Would design with ${used.join(', ')}: ${inputs.sketches} sketches, dialectic ${inputs.dialectic}.`;
  const text = [`${what} ${describeEstimate(inputs.estimate)}${rest}`, ...table].join('\n');
  return { json: { dryRun: true, inputs, seats }, text: `${text}\n` };
}

/** The seats of each role: their labels, with the agent where the label does not tell it. */
function seatsOf({ sketchers, reviewers, judges, voters, author }: Table): Record<string, string[]> {
  const named = ({ label, agents: [agent = 'nobody'] }: Table['author']) =>
    label.toLowerCase().startsWith(agent) ? label : `${label} (${agent})`;
  const all = { sketch: sketchers, review: reviewers, judge: judges, vote: voters, author: [author] };
  return Object.fromEntries(
    Object.entries(all).flatMap(([role, seats]) => (seats.length === 0 ? [] : [[role, seats.map(named)]])),
  );
}

/** L-011: the four facts given one by one are the same as the combined form, and as incomplete when one is missing. */
function branchInfoOf(options: Record<string, unknown>): { branchInfo?: string } {
  const facts = [
    ['CURRENT_BRANCH', options['currentBranch']],
    ['IS_MAIN', options['isMain']],
    ['IS_USER_BRANCH', options['isUserBranch']],
    ['USER_PREFIX', options['userPrefix']],
  ].filter(([, value]) => value !== undefined);
  if (facts.length === 0) return {};
  if (options['branchInfo'] !== undefined) {
    throw new CharretteError({
      code: 'usage',
      message: 'Branch facts were given in both forms.',
      fix: 'Use either --branch-info or --current-branch, --is-main, --is-user-branch and --user-prefix.',
    });
  }
  return { branchInfo: facts.map(([key, value]) => `${key}=${value}`).join(' ') };
}

/** The words of a feature. `-` reads stdin, because one argument holds at most 128 KiB. */
export async function readFeature(words: readonly string[], { stdin }: Terminal): Promise<string> {
  const [first, ...more] = words;
  const text = first === '-' && more.length === 0 ? await readAll(stdin) : words.join(' ');
  if (text.includes('\0'))
    throw new CharretteError({ code: 'usage', message: 'The feature has a NUL character; it must be text.' });
  return text.trim();
}

async function readAll(stdin: Terminal['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxFeatureBytes)
      throw new CharretteError({
        code: 'file-too-large',
        message: `The feature on stdin has more than ${maxFeatureBytes} bytes.`,
        fix: 'Shorten the feature; name files instead of including their text.',
      });
    chunks.push(bytes);
  }
  const whole = Buffer.concat(chunks);
  if (!isUtf8(whole))
    throw new CharretteError({
      code: 'usage',
      message: 'The feature on stdin is not UTF-8; letters of it would be lost.',
      fix: 'Convert it first, for example with `iconv -f latin1 -t utf-8`.',
    });
  return whole.toString('utf8');
}
