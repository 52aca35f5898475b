import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../base/files/bounded.ts';
import { projectSettings, recordsFolder, type World } from './settings.ts';

/** Files that decide which code git runs when it is called outside the sandbox. */
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

/** Creates what git would read and a writer could create: only existing files can be mounted. */
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
    // An agent without write access cannot change it.
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

/** The real place of `.git`; a linked one outside the directory is as writable as its surroundings. */
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
 * hidden; one folder to write in, and a separate process namespace so that nothing survives.
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
    // Read-only, so that writing there fails; all mount points exist now.
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

/** What decides which part of the disk an agent sees. */
export type ViewRequest = {
  directory: string;
  /** Program and leading arguments as the configuration has them; what a driver adds names nothing to show. */
  program: readonly string[];
  /** The records of the project's runs, hidden but for the directory and the project's own settings. */
  records: string;
  /** `disk`: HOME and the places of servers' sockets are hidden. `project`: only the records are. */
  guard: 'disk' | 'project';
  /** The user's HOME, hidden from the agent except for what is named. */
  userHome: string;
  /** Folders of PATH: a program may be a script that looks for its interpreter there. */
  search: string;
  /** More that stays visible, read-only. */
  visible?: readonly string[];
};

/** Folders that look empty, what is put back into them, and links by which it is known there. */
export type View = { hidden: string[]; shown: string[]; links: (readonly [target: string, name: string])[] };

/** Where servers of the user and of the system leave their sockets; a read-only disk does not keep anybody from those. */
const socketFolders = ['/tmp', '/run', '/var/run'];

/** What the jail hides and what stays. All paths but the names of links are real ones. */
export function viewOf(request: ViewRequest): View {
  const { directory, records, guard, userHome } = request;
  // A folder that holds the work and everything around it needs no mount.
  const places =
    guard === 'project' ? [] : [userHome, ...socketFolders].filter((place) => !holds(directory, place));
  const hidden = [...new Set([...places, records].filter((place) => existsSync(place)).map(realPath))];
  const wanted = [...new Set(wantedPaths(request, hidden))]
    .filter((place) => existsSync(place))
    .sort(byLength);
  const shown: string[] = [];
  const links: (readonly [string, string])[] = [];
  /** Whether a place is gone: the innermost of what lies around it decides. */
  const isGone = (place: string) => {
    const around = [...hidden, ...shown, ...links.map(([, name]) => name)].filter((one) =>
      isInside(one, place),
    );
    const innermost = around.sort(byLength).at(-1);
    return innermost !== undefined && innermost !== place && hidden.includes(innermost);
  };
  for (const place of wanted.map(realPath).sort(byLength)) {
    if (isGone(place)) shown.push(place);
  }
  for (const name of wanted) if (isGone(name)) links.push([realPath(name), name]);
  return { hidden, shown, links };
}

/** The real path; a dangling one does not change, and starting the program will fail. */
export function realPath(place: string): string {
  return existsSync(place) ? realpathSync(place) : place;
}

export const byLength = (left: string, right: string) => left.length - right.length;

function holds(directory: string, place: string): boolean {
  return isInside(directory, place) || !path.isAbsolute(place) || place === '/';
}

function wantedPaths(request: ViewRequest, hidden: readonly string[]): string[] {
  const { directory, records, search, visible = [] } = request;
  return [
    directory,
    ...checkoutOf(directory, records),
    // A checkout is not the project: the documents that prompts name are in the project.
    path.dirname(records),
    ...projectSettings.map((name) => path.join(records, name)),
    ...visible,
    ...search.split(path.delimiter).filter((folder) => path.isAbsolute(folder)),
    ...programPaths(request.program, hidden),
    // Often a link to where a server of names keeps it.
    '/etc/resolv.conf',
  ];
}

/** Of a directory in a checkout among the records: the whole checkout, and the repository it belongs to. */
function checkoutOf(directory: string, records: string): string[] {
  if (!isInside(records, directory)) return [];
  const checkout = above(directory).find((folder) => existsSync(path.join(folder, '.git')));
  const repository = above(path.dirname(records)).find((folder) => existsSync(path.join(folder, '.git')));
  return [
    ...(checkout !== undefined && checkout !== records && isInside(records, checkout) ? [checkout] : []),
    ...(repository === undefined ? [] : [path.join(repository, '.git')]),
  ];
}

function above(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}

/**
 * The program and the script that it runs, with the folders they were installed in; of what else is named the packages around
 * it, for a shell may start it, and itself.
 */
function programPaths(program: readonly string[], hidden: readonly string[]): string[] {
  const named = program.filter((part) => path.isAbsolute(part) && existsSync(part));
  const files = named.filter((part) => statSync(part).isFile());
  const running = files.slice(0, files[0] === program[0] ? 2 : 1);
  const started = running.flatMap((file) => [file, ...interpreterOf(file)]);
  return [
    ...started.flatMap((file) => installedWith(file, hidden)),
    ...files.flatMap(packagesAround),
    ...named,
  ];
}

/** The program that a script names in its first line; an unreadable program is not a script. */
function interpreterOf(script: string): string[] {
  const [, interpreter] = /^#![ \t]*(\/[^\s\0]+)/.exec(beginningOf(script)) ?? [];
  return interpreter === undefined || !existsSync(interpreter) ? [] : [interpreter];
}

function beginningOf(file: string): string {
  const start = Buffer.alloc(512);
  try {
    const descriptor = openSync(file, 'r');
    readSync(descriptor, start);
    closeSync(descriptor);
  } catch {
    return '';
  }
  return start.toString('latin1');
}

/** Where a program's files are: its folder, the folder it links to, and the modules it was installed with. */
function installedWith(file: string, hidden: readonly string[]): string[] {
  return [file, realPath(file)].flatMap((name) => {
    const folder = path.dirname(name);
    const around = path.dirname(folder);
    return [
      // An environment of Python, with its libraries.
      ...(existsSync(path.join(around, 'pyvenv.cfg')) ? [around] : []),
      ...(hidden.includes(folder) ? [] : [folder]),
      ...packagesAround(name),
    ];
  });
}

/** The outermost folder of packages that a file is in. */
function packagesAround(file: string): string[] {
  const at = file.indexOf(`${path.sep}node_modules${path.sep}`);
  return at === -1 ? [] : [file.slice(0, at + '/node_modules'.length)];
}
