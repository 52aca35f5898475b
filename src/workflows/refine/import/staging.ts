import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../../base/errors.ts';

/** What an import writes, below the design folder. */
export const outputs = [
  'tokens.json',
  'components.json',
  'copy.json',
  'assets',
  'import-warnings.json',
] as const;

const stagingName = /^\.import-(\d+)-[0-9a-f]{12}$/;

/** Refuses to replace existing files, whether of an earlier import or written by hand. */
export async function refuseExisting(target: string): Promise<void> {
  const taken = await existing(target);
  if (taken.length === 0) return;
  throw new CharretteError({
    code: 'would-overwrite',
    message: `${target} has ${taken.join(', ')} already.`,
    fix: 'Use --replace to put the bundle in their place, or move them away.',
  });
}

async function existing(target: string): Promise<string[]> {
  const found = await Promise.all(
    outputs.map((name) => lstat(path.join(target, name)).catch(() => undefined)),
  );
  return outputs.filter((_, index) => found[index] !== undefined);
}

/**
 * Lets `fill` write into a folder next to the outputs and then puts everything in place by renaming. When anything fails
 * the folder is as it was, and folders that were made for it are gone.
 */
export async function installOutputs(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const made = await mkdir(target, { recursive: true });
  const staging = path.join(target, `.import-${process.pid}-${randomBytes(6).toString('hex')}`);
  const [fresh, old] = [path.join(staging, 'new'), path.join(staging, 'old')];
  try {
    await mkdir(fresh, { recursive: true });
    await mkdir(old);
    await fill(fresh);
    await swap(target, fresh, old);
    await rm(staging, { recursive: true, force: true });
  } catch (error) {
    await putBack(target, old);
    await rm(staging, { recursive: true, force: true });
    await removeEmpty(target, made);
    throw error;
  }
}

async function swap(target: string, fresh: string, old: string): Promise<void> {
  const placed: string[] = [];
  try {
    for (const name of outputs) {
      const place = path.join(target, name);
      if ((await lstat(place).catch(() => undefined)) !== undefined)
        await rename(place, path.join(old, name));
      if (!existsSync(path.join(fresh, name))) continue;
      await rename(path.join(fresh, name), place);
      placed.push(place);
    }
  } catch (error) {
    for (const place of placed) await rm(place, { recursive: true, force: true });
    throw error;
  }
}

async function putBack(target: string, old: string): Promise<void> {
  for (const name of await readdir(old).catch(() => [])) {
    const place = path.join(target, name);
    if ((await lstat(place).catch(() => undefined)) === undefined) await rename(path.join(old, name), place);
  }
}

/** An import that was killed while it put its files in place: what it had moved away comes back. */
export async function recoverStaging(target: string): Promise<void> {
  for (const name of await readdir(target).catch(() => [])) {
    const owner = stagingName.exec(name)?.[1];
    const staging = path.join(target, name);
    if (owner === undefined || isRunning(Number(owner)) || !(await isLeftByImport(staging))) continue;
    await putBack(target, path.join(staging, 'old'));
    await rm(staging, { recursive: true, force: true });
  }
}

/** A repository can come with a folder of such a name. Nothing is moved through a link, and nothing that an import does not write. */
async function isLeftByImport(staging: string): Promise<boolean> {
  const old = path.join(staging, 'old');
  const [folder, below] = await Promise.all(
    [staging, old].map((place) => lstat(place).catch(() => undefined)),
  );
  if (folder?.isDirectory() !== true) return false;
  if (below === undefined) return true;
  if (!below.isDirectory()) return false;
  const kept = await readdir(old, { withFileTypes: true });
  return kept.every((entry) => !entry.isSymbolicLink() && outputs.some((name) => name === entry.name));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Removes the folders that were made for this import, from the inside out, as long as they are empty. */
async function removeEmpty(target: string, made: string | undefined): Promise<void> {
  if (made === undefined) return;
  for (let folder = target; folder.length >= made.length; folder = path.dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}
