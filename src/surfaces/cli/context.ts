import { CharretteError } from '../../base/errors.ts';
import {
  type Consumer,
  consumers,
  type DesignContext,
  findContextRoot,
  type LogLine,
} from '../../prompts/context/defaults.ts';
import { explainBudget } from '../../prompts/context/explain.ts';
import { type LoadOptions, loadDesignContext } from '../../prompts/context/load.ts';
import { parseBudget } from '../../prompts/context/settings.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { printNotice, requireDirectory } from '../../service/command.ts';

/** The design documents of the project as one block on stdout; what there is to say about them goes to stderr. */
export const contextCommand: CommandSpec = {
  examples: [
    ['charrette context', 'print the block for a prompt'],
    ['charrette context --explain', 'draw how the budget is used'],
    ['charrette context --dir docs/design --budget 8000', 'another folder, another budget'],
    ['charrette context --auto', 'as a workflow calls it: honours auto_load_on_design_command'],
    ['charrette context --for plan --task "add login"', 'what a planner is given, project specs included'],
  ],
  options: [
    { flags: '--dir <folder>', description: 'read this folder instead of the configured one' },
    { flags: '--auto', description: 'called by a workflow: print nothing when the gate is closed' },
    { flags: '--budget <tokens>', description: 'instead of the configured budget', parse: readBudget },
    { flags: '--overflow <rule>', description: 'what to do when it does not fit', choices: ['cut', 'drop'] },
    { flags: '--explain', description: 'a bar per document instead of the block' },
    { flags: '--exact', description: 'with --explain or --json: also count the block with o200k' },
    {
      flags: '--for <consumer>',
      description: 'everything for this kind of prompt',
      choices: Object.keys(consumers),
    },
    { flags: '--task <text>', description: 'with --for: what the work is about' },
  ],
  dryRun: 'reads',
  run,
};

async function run(invocation: Invocation): Promise<CommandResult> {
  const { options, global, terminal } = invocation;
  requireDirectory(global.cwd);
  refuseTogether(options);
  const request: LoadOptions = {
    // A folder on the command line is relative to the working directory.
    root: typeof options['dir'] === 'string' ? global.cwd : findContextRoot(global.cwd),
    mode: options['auto'] === true ? 'auto' : 'standalone',
    ...(typeof options['dir'] === 'string' && { dir: options['dir'] }),
    ...(typeof options['budget'] === 'number' && { budget: options['budget'] }),
    ...(options['overflow'] === 'drop' && { overflow: 'drop' }),
  };
  if (typeof options['for'] === 'string')
    return runForConsumer(invocation, request, options['for'] as Consumer);
  const context = await loadDesignContext(request);
  writeLog(terminal, visibleLog(context, global));
  if (context.outcome === 'folder-missing' && !global.quiet)
    printNotice(terminal, '`charrette init --design` creates the folder.');
  const exact = options['exact'] === true ? await countExactly(context.text) : undefined;
  const json = exact === undefined ? context : { ...context, exact };
  if (options['explain'] !== true) return { exit: 0, text: context.text, json };
  const picture = explainBudget(context, terminal.stdout.columns);
  const counted = exact === undefined ? '' : `  the block has ${exact.tokens} tokens by ${exact.rule}\n`;
  return { exit: 0, text: picture + counted, json };
}

/** A prompt receives more than the block that these flags describe. */
function refuseTogether(options: Invocation['options']): void {
  const flag = (['explain', 'exact'] as const).find((name) => options[name] === true);
  if (flag === undefined || options['for'] === undefined) return;
  throw new CharretteError({
    code: 'usage',
    message: `--${flag} describes the block alone and cannot be combined with --for.`,
    fix: 'Leave one of them out.',
  });
}

async function runForConsumer(
  { options, terminal, global }: Invocation,
  request: LoadOptions,
  consumer: Consumer,
) {
  const { promptContext } = await import('../../prompts/context/for-prompt.ts');
  const context = await promptContext({
    ...request,
    consumer,
    home: terminal.env['HOME'],
    ...(typeof options['task'] === 'string' && { task: options['task'] }),
  });
  writeLog(terminal, [...visibleLog(context.design, global), ...(context.specs?.log ?? []).map(withLevel)]);
  return { exit: 0, text: context.text, json: context } as const;
}

async function countExactly(text: string) {
  const { countTokens } = await import('../../base/text/tokens.ts');
  return countTokens(text);
}

function visibleLog(context: DesignContext, { quiet, verbose }: Invocation['global']): string[] {
  const lines = context.log.filter(({ level }) => !quiet || level === 'warning').map(withLevel);
  if (!verbose) return lines;
  const states = context.files.map(
    ({ token, state, reason }) => `${token}: ${state}${reason ? ` (${reason})` : ''}`,
  );
  return [...lines, ...states];
}

function writeLog(terminal: Invocation['terminal'], lines: readonly string[]): void {
  for (const line of lines) printNotice(terminal, line);
}

function withLevel({ level, text }: LogLine): string {
  return level === 'warning' ? `warning: ${text}` : text;
}

function readBudget(value: string): number {
  const budget = parseBudget(value);
  if (budget !== undefined) return budget;
  throw new CharretteError({
    code: 'usage',
    message: `--budget was ${JSON.stringify(value)}; it takes a whole number of tokens above 0.`,
  });
}
