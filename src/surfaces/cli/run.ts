import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { parseJson, readJson } from '../../base/safe-json.ts';
import { runDirectoryOf } from '../../engine/run-directory.ts';
import type { CommandResult, CommandSpec, Invocation, OptionSpec } from '../../service/command.ts';
import { printNotice } from '../../service/command.ts';
import { type Project, projectOf } from '../../service/project.ts';
import { prepareScriptRun } from '../../service/workflow-files.ts';
import { accessNames } from '../../workflows/script/inputs.ts';
import { chooseModel } from '../../workflows/script/models.ts';
import type { ScriptFlags } from '../../workflows/script/prepare.ts';
import { givenAnswers } from './ask.ts';
import { startCommand } from './conduct.ts';
import { acceptDegraded, positive, queueOptions } from './options.ts';
import { workflowTable } from './workflow.ts';

const maxArgsCharacters = 1024 * 1024;

const collect = (value: string, previous: unknown) => [...((previous as string[] | undefined) ?? []), value];

export const scriptOptions: readonly OptionSpec[] = [
  {
    flags: '--arg <name=value>',
    description: 'one field of an object for the file; repeatable',
    parse: collect,
  },
  { flags: '--args <json>', description: 'any JSON value for the file, or @FILE with one' },
  { flags: '--agents <list>', description: 'agents by name, comma-separated, in order of preference' },
  { flags: '--access <access>', description: 'what agents may do with files', choices: accessNames },
  {
    flags: '--model <name=agent>',
    description: 'which agent answers for a model; repeatable',
    parse: collect,
  },
  {
    flags: '--strict-models',
    description: 'fail for a model or an agent type that does not exist',
    rare: true,
  },
  {
    flags: '--budget <tokens>',
    description: 'output tokens that the file may spend',
    parse: positive('--budget'),
  },
  {
    flags: '--max-tokens <count>',
    description: 'pause and ask when this many tokens are used',
    rare: true,
    parse: positive('--max-tokens'),
  },
  {
    flags: '--max-usd <amount>',
    description: 'pause and ask when this much is spent',
    rare: true,
    parse: positive('--max-usd'),
  },
  { flags: '--trust <digest>', description: 'run this version of the file without asking', rare: true },
  {
    flags: '--from-run <run>',
    description: 'reuse finished answers of an earlier run where the call is the same',
    rare: true,
  },
  acceptDegraded,
  ...queueOptions,
  {
    flags: '--prefix',
    description: 'with --from-run: reuse only what comes before the first new call',
    rare: true,
  },
  { flags: '--answers <file>', description: 'a JSON object of question → answer', rare: true },
];

export const command: CommandSpec = {
  examples: [
    ['charrette run', 'list the workflow files of this project and your own'],
    ['charrette run deep-research "how are orders cancelled?"', 'words become the argument of the file'],
    ['charrette run ./triage.js --arg label=bug --agents claude,codex', 'a file, with an object as argument'],
    ['charrette run review-changes --access branch --dry-run', 'print what it would call'],
  ],
  arguments: [
    ['[workflow]', 'a name, a path, or - for stdin'],
    ['[words...]', 'the argument of the file, as one text'],
  ],
  options: scriptOptions,
  dryRun: 'says',
  async run(invocation) {
    const { global, options, terminal } = invocation;
    const [target, words] = invocation.arguments;
    if (typeof target !== 'string') return workflowTable(invocation);
    const project = projectOf(invocation);
    const args = await readArgs(invocation, (words as string[] | undefined) ?? []);
    const given = await givenAnswers(invocation);
    const { loaded, ...run } = await prepareScriptRun(project, {
      ...{ target, args, flags: options as ScriptFlags, consented: global.yes },
      text: target === '-' ? await readStdin(invocation) : undefined,
    });
    const { inputs } = run;
    if (!global.quiet)
      for (const { kind, message, line } of loaded.inspection.problems)
        if (kind === 'warning') printNotice(terminal, `${loaded.file}:${line}: ${message}`);
    if (global.dryRun) {
      const agents = inputs.roster.map(({ id, family }) => ({ id, family: family ?? id }));
      const models = [undefined, ...new Set(loaded.inspection.models)].map((model) => ({
        model: model ?? 'none named',
        ...chooseModel(model, { models: inputs.models, tiers: inputs.tiers, agents }),
      }));
      const { about, recommendedAccess, access = recommendedAccess, digest, trusted } = inputs;
      const lines = models.map(({ model, agent, why }) => `  ${model} → ${agent}: ${why}\n`).join('');
      const text = `Would run ${loaded.file}: ${about.calls} agent calls in its text, access ${access}${trusted ? '' : '; you would be asked about its code'}.\n${lines}`;
      return { exit: 0, json: { dryRun: true, file: loaded.file, digest, access, models }, text };
    }
    return withResult(project, await startCommand(invocation, run, given));
  },
};

/** W-153: the value that the file returned is the result, also of a panel that was not accepted. */
async function withResult(project: Project, result: CommandResult): Promise<CommandResult> {
  const { run } = result.json as { run: string };
  const file = path.join(runDirectoryOf(project, run).artifacts, 'result.json');
  const text = result.exit === 0 || result.exit === 6 ? await readTextFile(file) : undefined;
  if (text === undefined) return result;
  const value = parseJson(text, file);
  const shown = typeof value === 'string' ? `${value.trimEnd()}\n` : text;
  return { ...result, text: shown, json: { ...(result.json as object), result: value } };
}

/** W-150: words, an object of texts, or any JSON value; one of these. */
async function readArgs({ options, global }: Invocation, words: readonly string[]): Promise<unknown> {
  const { arg, args } = options as { arg?: string[]; args?: string };
  const ways = [words.length > 0, arg !== undefined, args !== undefined].filter(Boolean).length;
  if (ways > 1) throw wrongArgs('Words, --arg and --args were given together.');
  if (words.length > 0) return words.join(' ');
  if (arg !== undefined)
    return Object.fromEntries(
      arg.map((pair) => {
        const at = pair.indexOf('=');
        if (at < 1) throw wrongArgs(`--arg takes NAME=VALUE, not ${JSON.stringify(pair)}.`);
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    );
  if (args === undefined) return undefined;
  const file = args.startsWith('@') ? path.resolve(global.cwd, args.slice(1)) : undefined;
  const text = file === undefined ? args : await readTextFile(file, maxArgsCharacters);
  if (text === undefined) throw wrongArgs(`No such file: ${file}.`);
  const reading = readJson(text, maxArgsCharacters);
  if (!reading.ok) throw wrongArgs(`--args is not JSON: ${reading.message}.`);
  return reading.value;
}

function wrongArgs(message: string): CharretteError {
  return new CharretteError({ code: 'workflow-args', message });
}

async function readStdin({ terminal }: Invocation): Promise<string> {
  let text = '';
  for await (const part of terminal.stdin) {
    text += String(part);
    if (text.length > 2 * maxArgsCharacters) break;
  }
  return text;
}
