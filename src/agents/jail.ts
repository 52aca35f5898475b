import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../files/contained.ts';
import type { World } from './settings.ts';

export type JailRequest = {
  argv: readonly string[];
  directory: string;
  /** The lane's private HOME, always writable. */
  home: string;
  access: 'read' | 'write';
  /** `disk`: nothing but the lane's own folders can be written. `project`: only the work directory is protected. */
  guard: 'disk' | 'project';
  /** More folders the agent must be able to write, such as git's own of a worktree. */
  writable?: readonly string[];
  /** Folders of the user's HOME that stay visible, read-only. */
  visible?: readonly string[];
  /** The user's HOME, hidden from the agent except for what is named. */
  userHome: string;
  /** Folders of PATH: a program may be a script that looks for its interpreter there. */
  search: string;
};

/**
 * The command inside bubblewrap: the whole disk read-only, the user's HOME hidden, one folder to write in, a process
 * namespace of its own so that nothing survives. Later mounts cover earlier ones, so the order matters.
 */
export function jailedCommand(bubblewrap: string, request: JailRequest): string[] {
  const { directory, home, userHome, access, guard } = request;
  const hidden = guard === 'disk' && hidesHome(request);
  const visible = hidden ? visibleFolders(request) : [];
  const writing = access === 'write';
  return [
    bubblewrap,
    ...[guard === 'disk' ? '--ro-bind' : '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...(guard === 'project' && access === 'read' ? ['--ro-bind', directory, directory] : []),
    ...(hidden ? ['--tmpfs', userHome] : []),
    ...visible.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...(writing ? [directory] : []).flatMap((folder) => ['--bind', folder, folder]),
    ...(writing ? guardedPaths(directory) : []).flatMap((file) => ['--ro-bind', file, file]),
    ...[home, ...(request.writable ?? [])].flatMap((folder) => ['--bind', folder, folder]),
    ...['--unshare-pid', '--die-with-parent', '--new-session', '--chdir', directory, '--'],
    ...request.argv,
  ];
}

/** What a writer may not touch in its own directory: code that git runs outside the jail, and the record of runs. */
function guardedPaths(directory: string): string[] {
  return ['.git/hooks', '.git/config', '.charrette']
    .map((name) => path.join(directory, name))
    .filter((file) => existsSync(file));
}

/** HOME is left alone when it holds everything anyway, or when the work is done in HOME itself. */
function hidesHome({ userHome, directory }: JailRequest): boolean {
  return (
    userHome !== '/' && path.isAbsolute(userHome) && existsSync(userHome) && !isInside(directory, userHome)
  );
}

/** What must stay visible below the hidden HOME: the work, the program and what its arguments name. */
function visibleFolders({ userHome, directory, argv, search, visible = [] }: JailRequest): string[] {
  const named = argv.filter((argument) => path.isAbsolute(argument) && existsSync(argument));
  const folders = [directory, ...visible, ...search.split(path.delimiter), ...named.flatMap(programFolders)];
  return [...new Set(folders)]
    .filter((folder) => folder !== userHome && isInside(userHome, folder) && existsSync(folder))
    .sort((left, right) => left.length - right.length);
}

/** Where a program's files are: its folder, the folder it links to, and the modules it was installed with. */
function programFolders(file: string): string[] {
  const real = realpathSync(file);
  return [file, real].flatMap((name) => {
    const modules = name.indexOf(`${path.sep}node_modules${path.sep}`);
    return [path.dirname(name), ...(modules === -1 ? [] : [name.slice(0, modules + '/node_modules'.length)])];
  });
}

const probed = new Map<string, string | undefined>();

/** The bubblewrap that works here, tried once per PATH; `undefined` where there is none or it may not run. */
export function findBubblewrap(world: World): string | undefined {
  if (world.jail === 'off' || world.platform !== 'linux') return undefined;
  const search = world.environment['PATH'] ?? '';
  if (!probed.has(search)) probed.set(search, probe(search));
  return probed.get(search);
}

function probe(search: string): string | undefined {
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
    '--unshare-pid',
    '--die-with-parent',
  ];
  const trial = spawnSync(program, [...args, '--new-session', '--', process.execPath, '-e', '0'], {
    env: {},
    timeout: 10_000,
  });
  return trial.status === 0 ? program : undefined;
}
