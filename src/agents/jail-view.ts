import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../base/files/contained.ts';
import { projectSettings } from './records.ts';

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
  // A folder is left alone when it holds the work and everything around it anyway.
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

/** Where a path really leads; one that leads nowhere stays as it is, and starting the program will tell. */
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
    // A checkout is not the project: the documents that prompts name are there.
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

/** The program that a script names in its first line; one that may be run and not read is no script. */
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
