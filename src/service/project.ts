import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ResolvedConfig } from '../base/config/config.ts';
import { CharretteError } from '../base/errors.ts';
import { newestRuns } from '../engine/newest-runs.ts';
import {
  type Home,
  homeOf,
  isRunId,
  listRunIds,
  parentsOf,
  type RunDirectory,
  runDirectoryOf,
} from '../engine/run-directory.ts';
import { type Invocation, printNotice } from './command.ts';

/** A project and how Charrette works in it. Opening one reads no configuration, opens no database and starts nothing. */
export type Project = Home & {
  /** Where relative paths start. */
  cwd: string;
  /** The configuration file that --config names. */
  configFile: string | undefined;
  env: NodeJS.ProcessEnv;
  /** Interpreter and script that start this program again. */
  program: readonly string[];
  /** Takes a sentence for the user that belongs to no result: the database cannot be reached. */
  notify: (sentence: string) => void;
};

export type ProjectOptions = {
  config?: string | undefined;
  env?: NodeJS.ProcessEnv;
  program?: readonly string[];
  notify?: (sentence: string) => void;
};

/** The project of a folder: the nearest one upward that has runs or a repository, else the folder itself. */
export function openProject(cwd: string, options: ProjectOptions = {}): Project {
  const { config, env = process.env, program = ownProgram(), notify = () => {} } = options;
  const place = path.resolve(cwd);
  const configFile = config === undefined ? undefined : path.resolve(place, config);
  return { ...homeOf(findProject(place)), cwd: place, configFile, env, program, notify };
}

/** The project that a command works for. */
export function projectOf({ global, terminal }: Pick<Invocation, 'global' | 'terminal'>): Project {
  return openProject(global.cwd, {
    config: global.config,
    env: terminal.env,
    notify: (sentence) => printNotice(terminal, sentence),
  });
}

/** The command line that started this process, or the program of the package that a library is loaded from. */
function ownProgram(): string[] {
  const script = process.argv[1] ?? '';
  if (path.basename(script) === 'charrette') return [process.execPath, script];
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const program = path.join(folder, 'bin', 'charrette');
    if (existsSync(program)) return [process.execPath, program];
    if (path.dirname(folder) === folder) return [process.execPath, script];
  }
}

/** The configuration, read again each time; commands that need none do not load what reads it. */
export async function settingsOf({ project, env, configFile }: Project): Promise<ResolvedConfig['config']> {
  const { loadConfig } = await import('../base/config/config.ts');
  return (await loadConfig({ project, env, file: configFile })).config;
}

export function findProject(cwd: string): string {
  if (!existsSync(cwd)) {
    throw new CharretteError({ code: 'not-found', message: `The directory ${cwd} does not exist.` });
  }
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.charrette')) || existsSync(path.join(folder, '.git'))) return folder;
    if (path.dirname(folder) === folder) return cwd;
  }
}

/** A run by its id, by an unambiguous part of it, or `latest`. */
export async function findRun(home: Home, name: string | undefined): Promise<RunDirectory> {
  if (name === undefined || name === 'latest') {
    const latest = await latestRun(home);
    if (latest === undefined) {
      throw new CharretteError({
        code: 'run-not-found',
        message: `No runs in ${home.runs} yet.`,
        fix: 'Start one with `charrette design "…"`.',
      });
    }
    return latest;
  }
  // Nothing is a part of every id.
  if (name.trim() === '') {
    throw new CharretteError({
      code: 'usage',
      message: 'The name of the run is empty.',
      fix: 'Give an id, an unambiguous part of one, or `latest`; `charrette runs` lists them.',
    });
  }
  if (isRunId(name) && existsSync(runDirectoryOf(home, name).root)) return runDirectoryOf(home, name);
  const ids = await listRunIds(home);
  const found = ids.filter((id) => id.includes(name));
  // A comparison and its designs share a name; the part of it that all have means the comparison.
  const among = new Set(found);
  const matches = found.filter((id) => !isStartedByAnother(id, among));
  const [match, another] = matches;
  if (match !== undefined && another === undefined) return runDirectoryOf(home, match);
  throw new CharretteError({
    code: 'run-not-found',
    message:
      matches.length === 0
        ? `No run matches ${JSON.stringify(name)}; there are ${ids.length}${ids.length === 0 ? '' : `, the latest is ${ids.at(-1)}`}.`
        : `${JSON.stringify(name)} matches ${matches.length} runs: ${matches.slice(0, 5).join(', ')}.`,
    fix: 'Run `charrette runs` for the list.',
  });
}

/** The newest run that no other one started. One without a record is what a kill left of the making of a run. */
async function latestRun(home: Home): Promise<RunDirectory | undefined> {
  const isLatest = (id: string) =>
    existsSync(runDirectoryOf(home, id).record) &&
    !parentsOf(id).some((parent) => existsSync(path.join(home.runs, parent)));
  const { ids } = await newestRuns(home, 50);
  const latest = ids.find(isLatest) ?? (await listRunIds(home)).findLast(isLatest);
  return latest === undefined ? undefined : runDirectoryOf(home, latest);
}

function isStartedByAnother(id: string, ids: ReadonlySet<string>): boolean {
  return parentsOf(id).some((parent) => ids.has(parent));
}
