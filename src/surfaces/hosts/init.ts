import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { userFolder, userHome } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import { version } from '../../base/version.ts';
import { initDesignFolder, updateDesignFolder } from '../../prompts/context/folder.ts';
import {
  type CommandSpec,
  type Invocation,
  type OptionSpec,
  printNotice,
  requireDirectory,
} from '../../service/command.ts';
import { hostParts } from './host-parts.ts';
import { type HostOutcome, installHost, removeHost } from './install-host.ts';
import { type PluginForm, pluginForms } from './plugins.ts';

/** What one action did, as paths below the project and lines for stderr. */
type ActionReport = {
  created: string[];
  replaced: string[];
  kept: string[];
  removed?: string[];
  log: { level: 'info' | 'warning'; text: string }[];
};

type Action = {
  /** Name of its flag and of its entry in the JSON result. */
  name: string;
  option: OptionSpec;
  create: (invocation: Invocation) => Promise<ActionReport>;
  update: (invocation: Invocation) => Promise<ActionReport>;
};

/** Each thing that can be set up. `--update` alone brings everything that is set up to date. */
const actions: readonly Action[] = [
  {
    name: 'design',
    option: { flags: '--design', description: 'create .moai/design/ with templates and its settings file' },
    create: (invocation) => initDesignFolder(folderOptions(invocation)),
    update: (invocation) => updateDesignFolder(folderOptions(invocation)),
  },
];

export const initCommand: CommandSpec = {
  examples: [
    ['charrette init --design', 'create the folder for design documents'],
    ['charrette init --host claude,codex', 'skills, hooks and MCP server for coding agents'],
    ['charrette init --host claude --remove', 'take them away again; what was edited stays'],
    ['charrette init --update', 'bring untouched templates up to date, keep what was edited'],
  ],
  options: [
    ...actions.map(({ option }) => option),
    {
      flags: '--host <hosts>',
      description: 'set coding agents up: claude, codex, cursor, gemini, agents or all',
    },
    { flags: '--user', description: 'with --host: for all projects of this user', needs: '--host' },
    { flags: '--remove', description: 'with --host: remove it again', needs: '--host' },
    { flags: '--update', description: 'bring what is set up to date; never overwrites an edited file' },
    { flags: '--strict', description: 'with --update: a reserved file name is an error', needs: '--update' },
  ],
  dryRun: 'says',
  run,
};

async function run(invocation: Invocation) {
  const { options, global, terminal } = invocation;
  requireDirectory(global.cwd);
  const update = options['update'] === true;
  const asked = actions.filter(({ name }) => options[name] === true);
  const withHost = typeof options['host'] === 'string';
  if (asked.length === 0 && !update && !withHost) throw nothingAsked();
  const results: Record<string, Omit<ActionReport, 'log'> & { log: string[] }> = {};
  const lines: string[] = [];
  const take = (name: string, { log, ...report }: ActionReport) => {
    const texts = log
      .filter(({ level }) => !global.quiet || level === 'warning')
      .map(({ level, text }) => (level === 'warning' ? `warning: ${text}` : text));
    for (const text of texts) printNotice(terminal, text);
    results[name] = { ...report, log: texts };
    lines.push(...describe(report, global.dryRun));
  };
  for (const action of asked.length > 0 ? asked : update ? actions : [])
    take(action.name, await (update ? action.update : action.create)(invocation));
  if (withHost) {
    for (const [host, outcome] of Object.entries(await setUpHosts(invocation))) take(host, outcome);
  }
  const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  return { exit: 0, text, json: { dryRun: global.dryRun, ...results } } as const;
}

function describe(
  { created, replaced, kept, removed = [] }: Omit<ActionReport, 'log'>,
  dryRun: boolean,
): string[] {
  const would = dryRun ? 'would be ' : '';
  return [
    ...created.map((file) => `${would}created ${file}`),
    ...replaced.map((file) => `${would}updated ${file}`),
    ...removed.map((file) => `${would}removed ${file}`),
    ...kept.map((file) => `kept ${file} (edited)`),
  ];
}

function folderOptions({ global, options }: Invocation) {
  return {
    root: global.cwd,
    dryRun: global.dryRun,
    verbose: global.verbose,
    strict: options['strict'] === true,
    create: options['design'] === true,
  };
}

function nothingAsked(): CharretteError {
  const flags = [...actions.map(({ name }) => `--${name}`), '--host'].join(', ');
  return new CharretteError({
    code: 'usage',
    message: `\`charrette init\` needs to know what to set up: ${flags}, or --update.`,
    fix: 'Run `charrette init --help`.',
  });
}

/** `charrette init --host H [--user] [--remove]`: plugin, skills and hooks of coding agents. */
export async function setUpHosts({
  options,
  global,
  terminal,
}: Invocation): Promise<Record<string, HostOutcome>> {
  const home = userHome(terminal.env);
  // In the home directory both commands set up the same files.
  const isUser = options['user'] === true || global.cwd === home;
  const place = isUser ? { root: home, userFolder: userFolder(terminal.env) } : { root: global.cwd };
  const remove = options['remove'] === true;
  const results: Record<string, HostOutcome> = {};
  for (const host of hostsOf(String(options['host']))) {
    const parts = hostParts(host, version);
    const where = { ...place, host, dryRun: global.dryRun };
    const outcome = await (remove ? removeHost(parts, where) : installHost(parts, where));
    if (!remove && !isOnPath(terminal.env))
      outcome.log.push({
        level: 'warning',
        text: '`charrette` is not on PATH; hooks and MCP server stay silent until it is.',
      });
    results[host] = outcome;
  }
  return results;
}

function hostsOf(given: string): PluginForm[] {
  if (given === 'all') return [...pluginForms];
  return given.split(',').map((word) => {
    const host = pluginForms.find((known) => known === word.trim());
    if (host !== undefined) return host;
    throw new CharretteError({
      code: 'usage',
      message: `Unknown host ${JSON.stringify(word)}. Available: ${pluginForms.join(', ')}, all.`,
    });
  });
}

/** Hooks call the program by its name, so that the files fit every machine; without it they stay silent. */
function isOnPath(env: NodeJS.ProcessEnv): boolean {
  return (env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, 'charrette'), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
