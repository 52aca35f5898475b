import { stat } from 'node:fs/promises';
import { explainBudget } from '../context/explain.ts';
import { loadDesignContext } from '../context/load.ts';
import type { LogLine } from '../context/log.ts';
import type { DesignContext } from '../context/result.ts';
import { parseBudget } from '../context/settings.ts';
import { CharretteError } from '../errors.ts';
import type { CommandSpec, Invocation } from './command.ts';

/** The design documents of the project as one block on stdout; what there is to say about them goes to stderr. */
export const contextCommand: CommandSpec = {
  name: 'context',
  summary: 'Design documents of the project as one block under a token budget.',
  examples: [
    ['charrette context', 'print the block for a prompt'],
    ['charrette context --explain', 'draw how the budget is used'],
    ['charrette context --dir docs/design --budget 8000', 'another folder, another budget'],
    ['charrette context --auto', 'as a workflow calls it: honours auto_load_on_design_command'],
  ],
  options: [
    { flags: '--dir <folder>', description: 'read this folder instead of the configured one' },
    { flags: '--auto', description: 'called by a workflow: print nothing when the gate is closed' },
    { flags: '--budget <tokens>', description: 'instead of the configured budget', parse: readBudget },
    { flags: '--overflow <rule>', description: 'what to do when it does not fit', choices: ['cut', 'drop'] },
    { flags: '--explain', description: 'a bar per document instead of the block' },
  ],
  run,
};

async function run(invocation: Invocation) {
  const { options, global, terminal } = invocation;
  await requireDirectory(global.cwd);
  const context = await loadDesignContext({
    root: global.cwd,
    mode: options['auto'] === true ? 'auto' : 'standalone',
    ...(typeof options['dir'] === 'string' && { dir: options['dir'] }),
    ...(typeof options['budget'] === 'number' && { budget: options['budget'] }),
    ...(options['overflow'] === 'drop' && { overflow: 'drop' }),
  });
  for (const line of visibleLog(context, global)) terminal.stderr.write(`${line}\n`);
  const text = options['explain'] === true ? explainBudget(context, terminal.stdout.columns) : context.text;
  return { exit: 0, text, json: context } as const;
}

function visibleLog(context: DesignContext, { quiet, verbose }: Invocation['global']): string[] {
  const lines = context.log.filter(({ level }) => !quiet || level === 'warning').map(withLevel);
  if (!verbose) return lines;
  return [
    ...lines,
    ...context.files.map(({ token, state, reason }) => `${token}: ${state}${reason ? ` (${reason})` : ''}`),
  ];
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

async function requireDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new CharretteError({ code: 'not-found', message: `There is no folder ${directory}.` });
}
