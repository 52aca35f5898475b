import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { repositoryMounts } from './git-guard.ts';
import { byLength, realPath, type ViewRequest, viewOf } from './jail-view.ts';
import { recordsFolder } from './records.ts';
import type { World } from './settings.ts';

export type JailRequest = ViewRequest & {
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
