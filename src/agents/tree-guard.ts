import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isMissing } from '../base/files/bounded.ts';
import { completeRepository, findBubblewrap, jailedCommand, watchBorrowing } from './jail.ts';
import type { Access, Confinement } from './port.ts';
import { leadsIntoRecords, recordsAround, recordsFolder, type World } from './settings.ts';

const execute = promisify(execFile);

/** What git says about a directory, without running anything of the repository or locking it; `undefined` where it knows nothing. */
async function askGit(directory: string, words: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await execute('git', ['-C', directory, '-c', 'core.fsmonitor=', ...words], {
      maxBuffer: 256 * 1024 * 1024,
      env: { PATH: process.env['PATH'], GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    });
    return stdout;
  } catch {
    return undefined;
  }
}

/** So long others may have to wait. A file read at once takes a tenth of the processor time of one that is waited for. */
const turnMs = 10;

/** Fingerprints existing files by their content. */
async function fingerprints(directory: string, files: readonly string[]): Promise<[string, string][]> {
  const entries: [string, string][] = [];
  let since = performance.now();
  for (const file of files) {
    const print = fingerprint(path.join(directory, file));
    if (print !== undefined) entries.push([file, print]);
    if (performance.now() - since < turnMs) continue;
    await turn();
    since = performance.now();
  }
  return entries;
}

function fingerprint(file: string): string | undefined {
  try {
    const facts = lstatSync(file);
    if (facts.isSymbolicLink()) return `link ${readlinkSync(file)}`;
    if (!facts.isFile()) return facts.isDirectory() ? 'folder' : 'special';
    if (facts.size > 32 * 1024 * 1024) return `large ${facts.size} ${facts.mtimeMs}`;
    const hash = createHash('sha256').update(readFileSync(file));
    return `${facts.mode.toString(8)} ${hash.digest('hex')}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** How many ignored files are checked: more would take longer than many calls. */
const watchedFiles = 20_000;
const packages = 'node_modules';
/**
 * Fingerprints what git ignores below a directory by what the file system says of it, without reading it. Packages come last:
 * they are what is left out where there is too much.
 */
export async function ignoredPrints(directory: string, most = watchedFiles): Promise<[string, string][]> {
  const words = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const listed = (await askGit(directory, words))?.split('\0') ?? [];
  const names = listed.filter((name) => name !== '').map((name) => name.replace(/\/$/, ''));
  const later: string[] = [];
  const first = await look(directory, names, most, (name) => {
    if (path.basename(name) !== packages) return true;
    later.push(name);
    return false;
  });
  return [...first, ...(await look(directory, later, most - first.length, () => true))];
}

/** The prints of names and of all that lies below them, the nearest first. */
async function look(
  directory: string,
  names: readonly string[],
  most: number,
  isWanted: (name: string) => boolean,
): Promise<[string, string][]> {
  const prints: [string, string][] = [];
  const queue = [...names];
  for (const name of queue) {
    if (prints.length >= most) break;
    if (isWrittenByOthers(name) || !isWanted(name)) continue;
    const { print, inside } = lookAt(path.join(directory, name));
    if (print !== undefined) prints.push([name, print]);
    for (const entry of inside) queue.push(path.join(name, entry));
    if (prints.length % 500 === 499) await turn();
  }
  return prints;
}

/** Lanes write into the records at any time, and git into a repository that is among what is ignored. */
function isWrittenByOthers(name: string): boolean {
  return leadsIntoRecords(name) || path.basename(name) === '.git';
}

function lookAt(place: string): { print?: string; inside: string[] } {
  try {
    const facts = lstatSync(place, { bigint: true });
    if (facts.isDirectory()) return { inside: readdirSync(place).sort() };
    if (facts.isSymbolicLink()) return { print: `link ${readlinkSync(place)}`, inside: [] };
    // Times can be set back, the last one cannot; but it moves too when a file that is shared gets one more name.
    const { size, mtimeNs, ctimeNs, ino, mode, nlink } = facts;
    const changed = nlink > 1n ? '' : ctimeNs;
    return { print: [mode.toString(8), size, mtimeNs, ino, changed].join(' '), inside: [] };
  } catch (error) {
    if (isMissing(error) || isRefused(error)) return { inside: [] };
    throw error;
  }
}

/** An agent of the same user cannot write an unreadable file without a trace around it. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

/** The parts of git that belong to one checkout: its HEAD and its settings. */
const ofCheckout = ['HEAD', 'config.worktree', 'commondir', 'info/sparse-checkout'];
/** What all checkouts share. The rest of a repository changes with every commit, branch and worktree of anybody. */
const ofRepository = ['config', 'info/attributes', 'info/exclude', 'info/grafts'];
const mostHooks = 1000;

/** Fingerprints what decides how git works in a directory and which code it runs there. */
async function repositoryPrints(directory: string): Promise<[string, string][]> {
  const said = await askGit(directory, ['rev-parse', '--git-dir', '--git-common-dir']);
  const [own, common] = (said ?? '').split('\n').filter((line) => line !== '');
  if (own === undefined || common === undefined) return fingerprints(directory, ['.git']);
  const [checkout, repository] = [path.resolve(directory, own), path.resolve(directory, common)];
  const hooks = await filesIn(path.join(repository, 'hooks'));
  const prints = [
    ...(await fingerprints(checkout, ofCheckout)),
    ...(await fingerprints(repository, [...ofRepository, ...hooks.map((name) => `hooks/${name}`)])),
  ];
  const named = prints.map(([name, print]): [string, string] => [`.git/${name}`, print]);
  return [...(await fingerprints(directory, ['.git'])), ...named];
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.sort().slice(0, mostHooks);
}

/** Above this a copy costs more than it protects; the agent then works in place and the hash alone watches. */
const copyLimit = { files: 20_000, bytes: 512 * 1024 * 1024 };
const copiesAtOnce = 8;
const skippedFolders = new Set(['.git', 'node_modules', recordsFolder]);

/** Content of a folder as path → fingerprint. Two equal snapshots mean that nothing was changed. */
export type Snapshot = ReadonlyMap<string, string>;

/**
 * Fingerprints all files of a folder that git knows or would add, by their content; what it ignores, by size, times and place; and
 * what decides which code git runs. Without git all that are not skipped.
 */
export async function snapshotTree(directory: string): Promise<Snapshot> {
  const prints = await Promise.all([
    listFiles(directory).then((files) => fingerprints(directory, files)),
    ignoredPrints(directory),
    repositoryPrints(directory),
  ]);
  return new Map(prints.flat());
}

/** Fingerprints a copy: it may lie in a folder that git ignores, so git must not be asked what belongs to it. */
export async function snapshotCopy(directory: string): Promise<Snapshot> {
  return new Map(await fingerprints(directory, await walk(directory, '', new Set())));
}

/** The paths that differ between two snapshots, sorted. */
export function changedPaths(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((file) => before.get(file) !== after.get(file)).sort();
}

/** Copies the folder's files to a throw-away place, where nothing of an earlier call stays; `undefined` when there is too much. */
export async function copyTree(directory: string, target: string): Promise<string | undefined> {
  await rm(target, { recursive: true, force: true });
  const files = await listFiles(directory);
  if (files.length > copyLimit.files) return undefined;
  let isWhole = false;
  try {
    isWhole = await copyFiles(directory, files, target);
  } finally {
    if (!isWhole) await rm(target, { recursive: true, force: true });
  }
  return isWhole ? target : undefined;
}

/** Whether all were copied; `false` when there is too much. However it ends, nothing is being copied any more. */
async function copyFiles(directory: string, files: readonly string[], target: string): Promise<boolean> {
  await mkdir(target, { recursive: true });
  for (const folder of new Set(files.map((file) => path.dirname(file))))
    await mkdir(path.join(target, folder), { recursive: true });
  let bytes = 0;
  let hasFailed = false;
  const fits = (size: number) => {
    bytes += size;
    return bytes <= copyLimit.bytes;
  };
  const left = files.values();
  const copySome = async () => {
    for (const file of left) {
      if (hasFailed || bytes > copyLimit.bytes) return;
      await copyOne(path.join(directory, file), path.join(target, file), fits);
    }
  };
  const stopAll = (error: unknown) => {
    hasFailed = true;
    throw error;
  };
  const ends = await Promise.allSettled(
    Array.from({ length: copiesAtOnce }, () => copySome().catch(stopAll)),
  );
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return bytes <= copyLimit.bytes;
}

/** Copies what fits and skips missing files. Checks the size first, so that nothing beyond the limit is written. */
async function copyOne(from: string, to: string, fits: (size: number) => boolean): Promise<void> {
  try {
    const facts = await lstat(from);
    if (!fits(facts.size)) return;
    if (facts.isSymbolicLink()) await symlink(await readlink(from), to);
    else if (facts.isFile()) await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function listFiles(directory: string): Promise<string[]> {
  const listed = await askGit(directory, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (listed === undefined) return walk(directory, '', skippedFolders);
  const files = new Set(listed.split('\0').filter((file) => file !== ''));
  const known = new Map([['.', true]]);
  // A tracked folder that a link or a file has taken the place of: what git remembers of it would be looked for behind the link.
  const isRealFolder = (folder: string): boolean => {
    const isReal =
      known.get(folder) ??
      (isRealFolder(path.posix.dirname(folder)) && isFolder(path.join(directory, folder)));
    known.set(folder, isReal);
    return isReal;
  };
  return [...files].filter((file) => isRealFolder(path.posix.dirname(file))).sort();
}

function isFolder(place: string): boolean {
  try {
    return lstatSync(place).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function walk(root: string, folder: string, skipped: ReadonlySet<string>): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) found.push(...(await walk(root, file, skipped)));
    } else found.push(file);
    if (found.length > copyLimit.files * 10) break;
  }
  return found;
}

export type ConfineRequest = {
  access: Access;
  guard: 'disk' | 'project';
  directory: string;
  home: string;
  laneDirectory: string;
  /** Program and leading arguments, as they were found. */
  program: readonly string[];
  /** What the login and the prompt name outside the directory. */
  visible: readonly string[];
  world: World;
};

/** How an agent is held to its access for one call. */
export type Confined = {
  confinement: Confinement;
  /** Where the agent works: the directory itself or a throw-away copy. */
  directory: string;
  command: (argv: readonly string[]) => string[];
  /** The paths an agent changed that it may not; empty when it kept to its access. Removes the copy. */
  release: () => Promise<string[]>;
};

/** Bubblewrap where it works. Else a copy for readers, with a hash of copy and original before and after. */
export async function confine(request: ConfineRequest): Promise<Confined> {
  const bubblewrap = findBubblewrap(request.world);
  if (bubblewrap !== undefined) {
    const { access, guard, directory, home, laneDirectory, program, visible, world } = request;
    const records = recordsAround(laneDirectory) ?? path.join(directory, recordsFolder);
    const search = world.environment['PATH'] ?? '';
    const view = { directory, program, records, guard, userHome: world.home, search, visible };
    const user = process.getuid?.();
    if (access === 'write') completeRepository(directory);
    return {
      confinement: 'bubblewrap',
      directory,
      command: (argv) => jailedCommand(bubblewrap, { ...view, argv, home, access, user }),
      release: access === 'write' ? watchBorrowing(directory) : async () => [],
    };
  }
  if (request.access === 'write') {
    const { directory } = request;
    return { confinement: 'in-place', directory, command: (argv) => [...argv], release: async () => [] };
  }
  return watchReader(request);
}

async function watchReader({ directory, laneDirectory }: ConfineRequest): Promise<Confined> {
  const copy = await copyTree(directory, path.join(laneDirectory, 'work'));
  const look = () =>
    Promise.all([snapshotTree(directory), ...(copy === undefined ? [] : [snapshotCopy(copy)])]);
  const before = await look();
  return {
    confinement: copy === undefined ? 'in-place' : 'copy',
    directory: copy ?? directory,
    command: (argv) => [...argv],
    release: async () => {
      const after = await look();
      if (copy !== undefined) await rm(copy, { recursive: true, force: true });
      const changed = before.flatMap((snapshot: Snapshot, index) =>
        changedPaths(snapshot, after[index] ?? new Map()),
      );
      return [...new Set(changed)].sort();
    },
  };
}
