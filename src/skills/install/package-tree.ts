import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isInside } from '../../base/files/contained.ts';

export type PackageFile = { bytes: Buffer; executable: boolean };

export type PackageTree = {
  /** Files by relative path, with `/`. */
  files: Map<string, PackageFile>;
  /** What is there and does not belong to a package: dot-files, node_modules, whatever is no file. */
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
