import { existsSync, readdirSync } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { CharretteError } from '../../base/errors.ts';
import { isInside } from '../../base/files/bounded.ts';

export type PackageFile = { bytes: Buffer; executable: boolean };

type PackageTree = {
  /** Files by relative path, with `/`. */
  files: Map<string, PackageFile>;
  /** Entries that are not part of a package: dot-files, node_modules, devices and sockets. */
  leftOut: string[];
};

const largest = 20 * 1024 * 1024;
const mostEntries = 20_000;
const isLeftOut = (name: string) => name.startsWith('.') || name === 'node_modules';

/** The files of a package as they are delivered. A link is followed inside the package and refused when it leads out. */
export async function readTree(source: string): Promise<PackageTree> {
  const tree: PackageTree = { files: new Map(), leftOut: [] };
  const found = await lstat(source).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new CharretteError({ code: 'not-found', message: `${source} is not a directory.` });
  const root = await realpath(source);
  let [total, entries] = [0, 0];
  /** `open` are the folders on the way here, by their real place: a link to one of them would never end. */
  const walk = async (directory: string, relative: string, open: readonly string[]): Promise<void> => {
    for (const name of (await readdir(directory)).sort()) {
      const inside = relative === '' ? name : `${relative}/${name}`;
      const place = await realpath(path.join(directory, name)).catch(() => undefined);
      if (isLeftOut(name)) {
        tree.leftOut.push(inside);
        continue;
      }
      if (place === undefined || !isInside(root, place) || open.includes(place))
        throw badLink(source, inside, place);
      const entry = await stat(place);
      entries += 1;
      total += entry.isFile() ? entry.size : 0;
      if (total > largest || entries > mostEntries) throw tooLarge(source);
      const hidden = path.relative(root, place).split(path.sep).some(isLeftOut);
      if (entry.isDirectory() && !hidden) await walk(place, inside, [...open, place]);
      else if (entry.isFile() && !hidden)
        tree.files.set(inside, { bytes: await readFile(place), executable: (entry.mode & 0o111) !== 0 });
      else tree.leftOut.push(inside);
    }
  };
  await walk(root, '', [root]);
  return tree;
}

function badLink(source: string, inside: string, place: string | undefined): CharretteError {
  const leads = place === undefined ? 'nowhere' : `to ${place}`;
  return new CharretteError({
    code: 'path-unsafe',
    message: `${inside} of ${source} is a link that leads ${leads}; only links to other parts of the package are followed.`,
    fix: 'Put the file itself there, or remove the link.',
  });
}

function tooLarge(source: string): CharretteError {
  return new CharretteError({
    code: 'file-too-large',
    message: `${source} has more than ${largest} bytes or ${mostEntries} files.`,
  });
}

/** Where hosts look for skills, in a project and, under the same name, in the home directory of a user. */
export const skillFolders = {
  agents: '.agents/skills',
  claude: '.claude/skills',
  cursor: '.cursor/skills',
  codex: '.agents/skills',
  gemini: '.gemini/skills',
} as const;

export type Host = keyof typeof skillFolders;
export type Scope = 'project' | 'user';

export const hosts = Object.keys(skillFolders) as Host[];

/** Frontmatter fields that only one host knows; elsewhere they move under `metadata` so that nothing is lost. */
export const hostOnlyFields: Readonly<Record<string, readonly Host[]>> = {
  'argument-hint': ['claude'],
  arguments: ['claude'],
  'disable-model-invocation': ['claude', 'cursor'],
  'user-invocable': ['claude'],
  model: ['claude'],
  effort: ['claude'],
  context: ['claude'],
  agent: ['claude'],
  hooks: ['claude'],
  paths: ['claude', 'cursor'],
  shell: ['claude'],
  when_to_use: ['claude'],
};

const block = 512;
/** Length of the name field of a header; a longer path needs an extended header before it. */
const longestName = 100;

/** A package as `name/…` in a gzipped tar. The same files give the same bytes, so that a hash identifies a version. */
export function packFiles(name: string, files: ReadonlyMap<string, PackageFile>): Uint8Array {
  const entries = [...files].flatMap(([file, { bytes, executable }]) => {
    const path = `${name}/${file}`;
    const mode = executable ? 0o755 : 0o644;
    const extended =
      Buffer.byteLength(path) > longestName ? entry('@PaxHeader', 'x', 0o644, record(path)) : [];
    return [...extended, ...entry(path, '0', mode, bytes)];
  });
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * block)]), { level: 9 });
}

/** A path as a record of an extended header: its own length in bytes, blank, `path=…`, line end. */
function record(path: string): Buffer {
  const rest = ` path=${path}\n`;
  const length = Buffer.byteLength(rest);
  const digits = String(length + String(length).length).length;
  return Buffer.from(`${length + digits}${rest}`);
}

/** Header and content of one entry (POSIX ustar), the content filled up to whole blocks. Owner and time are zero. */
function entry(path: string, type: '0' | 'x', mode: number, content: Uint8Array): Uint8Array[] {
  const header = Buffer.alloc(block);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  const fields: readonly (readonly [number, string])[] = [
    [0, path],
    [100, octal(mode, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(content.length, 11)],
    [136, octal(0, 11)],
    [148, ' '.repeat(8)],
    [156, type],
    [257, 'ustar\u000000'],
  ];
  for (const [offset, value] of fields) header.write(value, offset, longestName);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return [header, content, Buffer.alloc((block - (content.length % block)) % block)];
}

/** The folder with the packages that come with the program, from sources and from the build alike. */
export function shippedRoot(): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(directory, 'package.json'))) {
    const parent = path.dirname(directory);
    if (parent === directory) break;
    directory = parent;
  }
  return path.join(directory, 'skills');
}

export function shippedSkills(): string[] {
  const root = shippedRoot();
  if (!existsSync(root)) return [];
  return readdirSync(root).filter((name) => existsSync(path.join(root, name, 'SKILL.md')));
}
