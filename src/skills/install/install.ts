import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../errors.ts';
import { writeFileAtomic, writeJsonAtomic } from '../../files/atomic.ts';
import { containedPath, isMissing } from '../../files/contained.ts';
import { isRecord, parseJson } from '../../safe-json.ts';
import type { Host } from './hosts.ts';
import { overlayFor } from './overlay.ts';

/** What was installed: every file with its hash, so that uninstall removes exactly that. */
export type LockFile = { version: 1; skills: Record<string, LockedSkill> };
export type LockedSkill = { source: string; host: Host; files: Record<string, string> };

export type InstallOutcome = {
  skill: string;
  directory: string;
  written: string[];
  removed: string[];
  /** Files that are not as they were installed, and so were left alone. */
  kept: string[];
};

export type InstallOptions = { force: boolean; dryRun: boolean };

const lockName = '.charrette-skills.lock.json';
const largest = 20 * 1024 * 1024;

/** Copies packages into a host's root and writes down what was copied. Files a user changed are never overwritten without force. */
export async function installSkill(
  source: string,
  name: string,
  root: string,
  host: Host,
  options: InstallOptions,
): Promise<InstallOutcome> {
  const directory = path.join(root, name);
  const files = await readTree(source);
  if (!files.has('SKILL.md')) {
    throw new CharretteError({
      code: 'not-found',
      message: `${source} has no SKILL.md.`,
      fix: 'Name a skill directory.',
    });
  }
  const lock = await readLock(root);
  const before = lock.skills[name];
  const outcome: InstallOutcome = { skill: name, directory, written: [], removed: [], kept: [] };
  // A package that lives where the host looks is not installed; were it in the lock, uninstall would remove the only copy.
  if (await isSamePlace(source, directory)) return outcome;
  const hashes: Record<string, string> = {};
  const contents = new Map(
    [...files].map(([file, bytes]) => [
      file,
      file === 'SKILL.md' ? Buffer.from(overlayFor(host, bytes.toString('utf8'))) : bytes,
    ]),
  );
  const clashes: string[] = [];
  for (const [file, bytes] of contents) {
    hashes[file] = hashOf(bytes);
    const there = await readBytes(path.join(directory, file));
    if (there === undefined || hashOf(there) === hashes[file]) continue;
    // Replacing what we installed ourselves and nobody touched is an update; anything else belongs to the user.
    if (before?.files[file] !== hashOf(there)) clashes.push(file);
  }
  if (clashes.length > 0 && !options.force) {
    throw new CharretteError({
      code: 'would-overwrite',
      message: `${directory} has files that were changed or are not ours: ${clashes.slice(0, 5).join(', ')}.`,
      fix: 'Move them away, or replace them with --force.',
    });
  }
  for (const [file, bytes] of contents) {
    const there = await readBytes(path.join(directory, file));
    if (there !== undefined && hashOf(there) === hashes[file]) {
      // The same bytes, but put there by somebody else: they stay theirs unless they are taken over by force.
      if (before?.files[file] !== hashes[file] && !options.force) delete hashes[file];
      continue;
    }
    outcome.written.push(file);
    if (options.dryRun) continue;
    await mkdir(directory, { recursive: true });
    await writeFileAtomic(await containedPath(directory, file), bytes);
  }
  const stale = Object.entries(before?.files ?? {}).filter(([file]) => !contents.has(file));
  await removeFiles(directory, stale, outcome, options.dryRun);
  if (!options.dryRun && Object.keys(hashes).length > 0) {
    lock.skills[name] = { source: path.basename(source), host, files: hashes };
    await writeJsonAtomic(path.join(root, lockName), lock);
  }
  return outcome;
}

async function isSamePlace(source: string, directory: string): Promise<boolean> {
  const [one, other] = await Promise.all(
    [source, directory].map((place) => realpath(place).catch(() => undefined)),
  );
  return one !== undefined && one === other;
}

/** Removes what install wrote and nothing else; changed and foreign files stay, empty folders go. */
export async function uninstallSkill(
  name: string,
  root: string,
  options: InstallOptions,
): Promise<InstallOutcome> {
  const lock = await readLock(root);
  const locked = lock.skills[name];
  if (locked === undefined) {
    const known = Object.keys(lock.skills);
    throw new CharretteError({
      code: 'not-found',
      message: `${name} was not installed here by Charrette${known.length > 0 ? `; installed are ${known.join(', ')}` : ''}.`,
      fix: 'Name an installed skill, or another --host or --scope.',
    });
  }
  const directory = path.join(root, name);
  const outcome: InstallOutcome = { skill: name, directory, written: [], removed: [], kept: [] };
  await removeFiles(directory, Object.entries(locked.files), outcome, options.dryRun);
  if (options.dryRun) return outcome;
  delete lock.skills[name];
  if (Object.keys(lock.skills).length === 0) await rm(path.join(root, lockName), { force: true });
  else await writeJsonAtomic(path.join(root, lockName), lock);
  for (const empty of [directory, root, path.dirname(root)]) await removeIfEmpty(empty);
  return outcome;
}

async function removeFiles(
  directory: string,
  files: readonly (readonly [string, string])[],
  outcome: InstallOutcome,
  dryRun: boolean,
): Promise<void> {
  const folders = new Set<string>();
  for (const [file, hash] of files) {
    const target = await containedPath(directory, file).catch(() => undefined);
    const there = target === undefined ? undefined : await readBytes(target);
    if (target === undefined || there === undefined) continue;
    if (hashOf(there) !== hash) {
      outcome.kept.push(file);
      continue;
    }
    outcome.removed.push(file);
    if (dryRun) continue;
    await rm(target);
    for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) folders.add(folder);
  }
  for (const folder of [...folders].sort((a, b) => b.length - a.length))
    await removeIfEmpty(path.join(directory, folder));
}

async function removeIfEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch {
    // Not empty, or not there: both are fine.
  }
}

/** Regular files of a package by relative path; links, dot-files and version control are left out. */
export async function readTree(source: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  let total = 0;
  const walk = async (relative: string): Promise<void> => {
    const entries = await readdir(path.join(source, relative), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const inside = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) await walk(inside);
      else if (entry.isFile()) {
        const bytes = await readFile(path.join(source, inside));
        total += bytes.length;
        if (total > largest)
          throw new CharretteError({
            code: 'file-too-large',
            message: `${source} has more than ${largest} bytes.`,
          });
        files.set(inside, bytes);
      }
    }
  };
  const found = await lstat(source).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new CharretteError({ code: 'not-found', message: `${source} is not a directory.` });
  await walk('');
  return files;
}

async function readLock(root: string): Promise<LockFile> {
  const file = path.join(root, lockName);
  if (!existsSync(file)) return { version: 1, skills: {} };
  const value = parseJson(await readFile(file, 'utf8'), file);
  if (isRecord(value) && value['version'] === 1 && isRecord(value['skills']))
    return value as unknown as LockFile;
  throw new CharretteError({
    code: 'json-invalid',
    message: `${file} is not a lock file of version 1.`,
    fix: 'Restore it, or remove it and install again with --force.',
  });
}

async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
