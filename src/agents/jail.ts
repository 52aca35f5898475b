import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../base/files/contained.ts';
import { byLength, realPath, type ViewRequest, viewOf } from './jail-view.ts';
import { recordsFolder } from './records.ts';
import type { World } from './settings.ts';

/** What decides which code git runs when somebody calls it outside the jail. */
const decisive = ['hooks', 'config', 'config.worktree', 'worktrees'];

/**
 * How the repository of a writer is mounted over its directory: as itself, so that it can be written but not be taken away and
 * replaced, and what is decisive in it read-only. One that is a file only says where the repository is.
 */
function repositoryMounts(directory: string): string[][] {
  const place = repositoryIn(directory);
  if (place === undefined) return [];
  if (!lstatSync(place).isDirectory()) return [['--ro-bind', place, place]];
  const parts = decisive.map((name) => path.join(place, name)).filter((part) => existsSync(part));
  return [['--bind', place, place], ...parts.map((part) => ['--ro-bind', part, part])];
}

/** Makes what git would look for and a writer could make: only what is there can be mounted. */
export function completeRepository(directory: string): void {
  const place = repositoryIn(directory);
  if (place === undefined || !existsSync(path.join(place, 'HEAD'))) return;
  try {
    mkdirSync(path.join(place, 'hooks'), { recursive: true });
    const config = path.join(place, 'config');
    touch(config);
    // Git reads the other one only where this one says so.
    if (/worktreeconfig/i.test(readFileSync(config, 'utf8'))) touch(path.join(place, 'config.worktree'));
  } catch {
    // Who cannot write there is no danger to it.
  }
}

function touch(file: string): void {
  if (!existsSync(file)) writeFileSync(file, '', { flag: 'wx' });
}

/**
 * A file by which a repository borrows the configuration of another. It cannot be kept from being made where git must be able to write,
 * so it is taken away when the writer has ended.
 */
export function watchBorrowing(directory: string): () => Promise<string[]> {
  const place = repositoryIn(directory);
  if (place === undefined || !lstatSync(place).isDirectory()) return async () => [];
  const file = path.join(place, 'commondir');
  if (existsSync(file)) return async () => [];
  return async () => {
    const made = await lstat(file).catch(() => undefined);
    if (made === undefined) return [];
    await rm(file, { recursive: true });
    return [path.relative(realPath(directory), file)];
  };
}

/** Where `.git` of a directory really is; one that a link leads to outside it is no more writable than its surroundings. */
function repositoryIn(directory: string): string | undefined {
  const work = realPath(directory);
  const place = path.join(work, '.git');
  const real = existsSync(place) ? realPath(place) : undefined;
  return real !== undefined && isInside(work, real) ? real : undefined;
}

type JailRequest = ViewRequest & {
  argv: readonly string[];
  /** The lane's private HOME, always writable. */
  home: string;
  access: 'read' | 'write';
  /** The number of who starts it, where the system has such numbers. */
  user: number | undefined;
};

/**
 * What root keeps in the jail: to work on files of others, as its package managers and archivers do, and, by the last, to make
 * user namespaces, as agents' own sandboxes do. With all that root may it could take the jail's mounts away again.
 */
const keptByRoot = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_SETFCAP'];

/** Others have no capabilities here, and an old bubblewrap refuses these options to them. */
function capabilitiesOf(user: number | undefined): string[] {
  if (user !== 0) return [];
  return ['--cap-drop', 'ALL', ...keptByRoot.flatMap((name) => ['--cap-add', name])];
}

/**
 * The command inside bubblewrap: the whole disk read-only or, for the user's own programs, the work alone; what `viewOf` hides
 * hidden; one folder to write in, and a process namespace of its own so that nothing survives.
 */
export function jailedCommand(bubblewrap: string, request: JailRequest): string[] {
  const { directory, home, access, guard } = request;
  const { hidden, shown, links } = viewOf(request);
  const [work, own] = [realPath(directory), realPath(home)];
  const writing = access === 'write';
  const layers = [
    ...hidden.map((folder) => ['--tmpfs', folder]),
    ...shown.map((place) => ['--ro-bind', place, place]),
    ...links.map(([target, name]) => ['--symlink', target, name]),
    ...(writing ? [['--bind', work, work]] : guard === 'project' ? [['--ro-bind', work, work]] : []),
    ...(writing ? [...repositoryMounts(work), ...recordsMounts(work, hidden)] : []),
  ];
  // Later mounts cover earlier ones: what lies deeper comes later.
  const inOrder = layers.toSorted((left, right) => byLength(left.at(-1) ?? '', right.at(-1) ?? ''));
  return [
    bubblewrap,
    ...[guard === 'disk' ? '--ro-bind' : '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...inOrder.flat(),
    ...['--bind', own, own],
    // Whoever tries to write there is told, now that everything has its place.
    ...hidden
      .filter((folder) => folder === realPath(request.records))
      .flatMap((folder) => ['--remount-ro', folder]),
    ...capabilitiesOf(request.user),
    ...['--unshare-pid', '--die-with-parent', '--new-session', '--chdir', directory, '--'],
    ...request.argv,
  ];
}

/** Records in a writer's own directory that it can see. */
function recordsMounts(directory: string, hidden: readonly string[]): string[][] {
  const place = path.join(directory, recordsFolder);
  return existsSync(place) && !hidden.includes(place) ? [['--ro-bind', place, place]] : [];
}

const probed = new Map<string, string | undefined>();

const probeLimitMs = 10_000;

/** The bubblewrap that works here, tried once per PATH; `undefined` where there is none or it may not run. */
export function findBubblewrap(world: World, limitMs = probeLimitMs): string | undefined {
  if (world.jail === 'off' || world.platform !== 'linux') return undefined;
  const search = world.environment['PATH'] ?? '';
  if (!probed.has(search)) probed.set(search, probe(search, limitMs));
  return probed.get(search);
}

function probe(search: string, limitMs: number): string | undefined {
  const program = search
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, 'bwrap'))
    .find((file) => existsSync(file));
  if (program === undefined) return undefined;
  const args = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...capabilitiesOf(process.getuid?.()),
    '--unshare-pid',
    '--die-with-parent',
  ];
  const said = 'in the sandbox';
  const command = [process.execPath, '-p', JSON.stringify(said)];
  // A program of that name may exit with 0 and have run nothing, or ignore SIGTERM.
  const trial = spawnSync(program, [...args, '--new-session', '--', ...command], {
    env: {},
    timeout: limitMs,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  return trial.status === 0 && trial.stdout.trim() === said ? program : undefined;
}
