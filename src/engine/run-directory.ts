import { constants, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { access, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { isRecord } from '../base/safe-json.ts';
import { literalPattern, slugify } from '../base/text/strings.ts';
import { type Clock, type Ids, timeOf } from './clock.ts';

/** `20261115-205512-add-rate-limiting-4f2a90c1`: sorts by time, says what it is, never repeats. */
export function makeRunId(title: string, clock: Clock, ids: Ids): string {
  const [date = '', time = ''] = timeOf(clock).split('T');
  const stamp = `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
  return `${stamp}-${slugify(title, 40, 'run')}-${ids.next()}`;
}

/**
 * An empty file for every run that waits for a person, so that old ones are found among very many without reading all records. A mark
 * may be stale or lost at any time; the record is what counts.
 */
function marksOf(home: Home): string {
  return path.join(home.root, 'waiting');
}

export function markWaiting(directory: RunDirectory, waits: boolean): void {
  const folder = marksOf(homeAround(directory));
  const mark = path.join(folder, directory.id);
  try {
    if (!waits) {
      rmSync(mark, { force: true });
      return;
    }
    mkdirSync(folder, { recursive: true });
    writeFileSync(mark, '');
  } catch {
    // A full disk has no room for a mark; the run waits anyway.
  }
}

/** Runs that are marked, newest first. */
export function markedWaiting(home: Home): string[] {
  const folder = marksOf(home);
  return existsSync(folder) ? readdirSync(folder).filter(isRunId).sort().reverse() : [];
}

/** The paths of a project's files: `<project>/.charrette/`. */
export type Home = {
  project: string;
  root: string;
  runs: string;
  store: string;
  lock: string;
  inbox: string;
};

/** The public record of one run. */
export type RunDirectory = {
  id: string;
  root: string;
  record: string;
  events: string;
  ledger: string;
  questions: string;
  executionIssues: string;
  report: string;
  artifacts: string;
  lanes: string;
  inbox: string;
  /** Names the process that works on a run of a shared store. */
  lock: string;
};

/** Shells read it too: `charrette completion`. */
export const runIdPattern = /^[a-z0-9][a-z0-9-]{0,99}$/;

export function isRunId(name: unknown): name is string {
  return typeof name === 'string' && runIdPattern.test(name);
}

export function homeOf(project: string): Home {
  const root = path.join(project, '.charrette');
  return {
    project,
    root,
    runs: path.join(root, 'runs'),
    store: path.join(root, 'store'),
    lock: path.join(root, 'store.lock'),
    inbox: path.join(root, 'inbox'),
  };
}

export function runDirectoryOf(home: Home, id: string): RunDirectory {
  if (!isRunId(id)) {
    throw new CharretteError({
      code: 'run-not-found',
      message: `${JSON.stringify(id)} is not a run id; ids are made of lower-case letters, digits and dashes.`,
      fix: 'Run `charrette runs` for the list.',
    });
  }
  const root = path.join(home.runs, id);
  return {
    id,
    root,
    record: path.join(root, 'run.json'),
    events: path.join(root, 'events.jsonl'),
    ledger: path.join(root, 'ledger.jsonl'),
    questions: path.join(root, 'questions.json'),
    executionIssues: path.join(root, 'execution-issues.md'),
    report: path.join(root, 'report.html'),
    artifacts: path.join(root, 'artifacts'),
    lanes: path.join(root, 'lanes'),
    inbox: path.join(root, 'inbox'),
    lock: path.join(root, 'run.lock'),
  };
}

/** Runs that a run starts are named after it: the ids that could be of the one that started this. */
export function parentsOf(id: string): string[] {
  const parents: string[] = [];
  for (let dash = id.indexOf('-'); dash >= 0; dash = id.indexOf('-', dash + 1))
    parents.push(id.slice(0, dash));
  return parents;
}

/** The home around a run. */
export function homeAround({ root }: RunDirectory): Home {
  return homeOf(path.resolve(root, '..', '..', '..'));
}

/** Makes the project's folder and keeps it out of git, without touching the project's own ignore file. */
export async function prepareHome(home: Home): Promise<void> {
  await requireWritable(
    [home.runs, home.root, home.project].find((folder) => existsSync(folder)) ?? home.project,
  );
  await mkdir(home.runs, { recursive: true });
  const ignore = path.join(home.root, '.gitignore');
  if (!existsSync(ignore)) await writeFile(ignore, '*\n');
}

/** Asked before anything is made: making folders on a read-only disk fails with a misleading reason. */
async function requireWritable(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw new CharretteError({
      code: 'permission-denied',
      message: `${folder} cannot be written to (${code}); runs are kept below it.`,
      fix: 'Make the folder writable, or work in a copy of the project.',
      cause,
    });
  }
}

export async function createRunDirectory(directory: RunDirectory): Promise<void> {
  await mkdir(path.dirname(directory.root), { recursive: true });
  await mkdir(directory.root);
  for (const folder of [directory.artifacts, directory.lanes, directory.inbox]) await mkdir(folder);
}

/** Ids of all runs, oldest first. */
export async function listRunIds(home: Home): Promise<string[]> {
  if (!existsSync(home.runs)) return [];
  const entries = await readdir(home.runs, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && isRunId(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/** The worker's run is the only one in its home. */
export const workerRun = 'heavy';

/** Inside the run whose isolated phase it is. */
export function workerHome(run: RunDirectory): string {
  return path.join(run.root, 'heavy');
}

export function workerDirectory(run: RunDirectory): RunDirectory {
  return runDirectoryOf(homeOf(workerHome(run)), workerRun);
}

/** L-694: the result of a worker. It also holds what must not be published, so it is not an artifact. */
export function workerState(worker: RunDirectory): string {
  return path.join(worker.root, 'design-state.json');
}

/** The project's run, also for the run of its worker, which shares its home, wording and log. */
export function projectRun(run: RunDirectory): RunDirectory {
  if (run.id !== workerRun) return run;
  const root = path.dirname(homeAround(run).project);
  return runDirectoryOf(homeAround({ ...run, root }), path.basename(root));
}

/** A file of a run's public record. */
export type RunFile = { path: string; size: number; modified: number; inode: number };

const segment = String.raw`(?!\.)[^/\\\0]{1,200}`;

/**
 * What of a run directory may go to another machine. It says what goes rather than what stays: the private HOMEs of
 * agents, which hold logins, checkouts, locks and half-written files never do.
 */
const portable = [
  /^(?:run|questions)\.json$/,
  /^(?:events|ledger)\.jsonl$/,
  /^execution-issues\.md$/,
  new RegExp(`^(?:artifacts|steps)(?:/${segment}){1,4}$`),
  new RegExp(`^lanes/${segment}\\.json$`),
  new RegExp(`^lanes/${segment}/(?:prompt\\.md|answer\\.txt|result\\.json)$`),
] as const;

/** Whether a path, with slashes, names a file that may travel; none that leads out of the directory does. */
export function isPortable(name: string): boolean {
  return portable.some((pattern) => pattern.test(name));
}

/** The files of a run that may travel, by name. Links are not followed. */
export async function listRunFiles(root: string): Promise<RunFile[]> {
  const files: RunFile[] = [];
  await collect(root, '', files);
  return files.sort((one, two) => (one.path < two.path ? -1 : 1));
}

async function collect(root: string, folder: string, files: RunFile[]): Promise<void> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && mayHold(name)) return collect(root, name, files);
      if (!entry.isFile() || !isPortable(name)) return;
      // It may have gone since.
      const facts = await stat(path.join(root, name)).catch(() => undefined);
      if (facts !== undefined)
        files.push({ path: name, size: facts.size, modified: facts.mtimeMs, inode: facts.ino });
    }),
  );
}

function mayHold(folder: string): boolean {
  const [top = '', ...rest] = folder.split('/');
  if (top === 'lanes') return rest.length <= 1;
  return (top === 'artifacts' || top === 'steps') && rest.length <= 3;
}

/** The same value with every place below `from` that its texts name, alone or among words, being the same place below `to`. */
export function relocate(value: unknown, from: string, to: string): unknown {
  return from === to ? value : moved(value, placesBelow(from), to);
}

function moved(value: unknown, places: RegExp, to: string): unknown {
  if (typeof value === 'string') return value.replace(places, () => to);
  if (Array.isArray(value)) return value.map((item) => moved(item, places, to));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, moved(item, places, to)]));
}

/** A path begins where a word does and ends there or at a slash: `/a/shop` is in neither `/a/shopping` nor `/b/a/shop`. */
function placesBelow(from: string): RegExp {
  return new RegExp(`(?<![^\\s"'\`(<[=:,])${literalPattern(from)}(?=$|[/\\s"'\`)>\\]:,;])`, 'g');
}

/** The inputs of a run for another clone of its repository; inputs without a project are not changed. */
export function relocateInputs(inputs: unknown, project: string): unknown {
  if (!isRecord(inputs) || typeof inputs['project'] !== 'string') return inputs;
  return relocate(inputs, inputs['project'], project);
}
