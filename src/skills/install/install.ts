import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { removeUnfinished, rewriteFileAtomic, writeFileAtomic } from '../../base/files/atomic.ts';
import { containedPath, isMissing } from '../../base/files/bounded.ts';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { readFrontMatter, writeFrontMatter } from '../../base/text/frontmatter.ts';
import { refuseLink } from '../package-files.ts';
import { type Host, hostOnlyFields, type PackageFile, readTree } from './package-tree.ts';

export type InstallOutcome = {
  skill: string;
  directory: string;
  written: string[];
  removed: string[];
  /** Files that changed since the installation, and were kept. */
  kept: string[];
  /** What lies in the package and is not delivered. */
  leftOut: string[];
};

type InstallOptions = { force: boolean; dryRun: boolean };

/** Copies packages into a host's root and writes down what was copied. Files a user changed are never overwritten without force. */
export async function installSkill(
  source: string,
  name: string,
  root: string,
  host: Host,
  options: InstallOptions,
): Promise<InstallOutcome> {
  const directory = path.join(root, name);
  const { files, leftOut } = await readTree(source);
  if (!files.has('SKILL.md')) {
    throw new CharretteError({
      code: 'not-found',
      message: `${source} has no SKILL.md.`,
      fix: 'Name a skill directory.',
    });
  }
  const lock = await readLock(root);
  const before = lock.skills[name];
  const own = ownHashes(before);
  const outcome: InstallOutcome = { skill: name, directory, written: [], removed: [], kept: [], leftOut };
  // A package that lives where the host looks is not installed; were it in the lock, uninstall would remove the only copy.
  if (await isSamePlace(source, directory)) return outcome;
  await refuseLink(directory);
  const hashes = record<string>([]);
  /** Our own files as they are. */
  const found = record<string>([]);
  const writes: { file: string; content: PackageFile }[] = [];
  const clashes: string[] = [];
  const blocked: string[] = [];
  // Check every target before writing the first file.
  for (const [file, packed] of files) {
    const content =
      file === 'SKILL.md'
        ? { ...packed, bytes: Buffer.from(overlayFor(host, packed.bytes.toString('utf8'))) }
        : packed;
    const hash = hashOf(content.bytes);
    if (existsSync(directory)) await containedPath(directory, file);
    const there = await lookAt(path.join(directory, file));
    const ours = own.get(file)?.includes(there.hash ?? '') === true;
    if (ours && there.hash !== undefined) found[file] = there.hash;
    if (there.blocked) blocked.push(file);
    else if (there.hash === hash) {
      // The same bytes, but not from an install: they stay the user's unless --force claims them.
      if (!ours && !options.force) continue;
      if (there.executable !== content.executable) writes.push({ file, content });
    } else {
      // Replacing unchanged installed files is an update; anything else belongs to the user.
      if (there.hash !== undefined && !ours) clashes.push(file);
      writes.push({ file, content });
    }
    hashes[file] = hash;
  }
  if (blocked.length > 0) throw wouldOverwrite(directory, blocked, 'Move them away.');
  if (clashes.length > 0 && !options.force)
    throw wouldOverwrite(directory, clashes, 'Move them away, or replace them with --force.');
  outcome.written.push(...writes.map(({ file }) => file));
  if (!options.dryRun && writes.length > 0) {
    const first = await mkdir(root, { recursive: true });
    if (first !== undefined) lock.made = path.relative(path.dirname(first), root).split(path.sep).length;
    // A process killed after this point finds its own files again.
    const writing = record<string>(writes.map(({ file }) => [file, hashes[file]]));
    const there = record<string>(Object.entries({ ...before?.files, ...before?.writing, ...found }));
    lock.skills[name] = { source: path.basename(source), host, files: there, writing };
    await writeLock(root, lock);
    await mkdir(directory, { recursive: true });
    for (const { file, content } of writes)
      await writeFileAtomic(
        await containedPath(directory, file),
        content.bytes,
        content.executable ? 'executable' : 'plain',
      );
  }
  if (!options.dryRun && before?.writing !== undefined) removeUnfinished(directory);
  const stale = [...own].filter(([file]) => !files.has(file));
  await removeFiles(directory, stale, outcome, options.dryRun);
  if (!options.dryRun && Object.keys(hashes).length > 0) {
    lock.skills[name] = { source: path.basename(source), host, files: hashes };
    await writeLock(root, lock);
  }
  return outcome;
}

function wouldOverwrite(directory: string, files: readonly string[], fix: string): CharretteError {
  return new CharretteError({
    code: 'would-overwrite',
    message: `${directory} has files or folders that were changed or added: ${files.slice(0, 5).join(', ')}.`,
    fix,
  });
}

async function isSamePlace(source: string, directory: string): Promise<boolean> {
  const [one, other] = await Promise.all(
    [source, directory].map((place) => realpath(place).catch(() => undefined)),
  );
  return one !== undefined && one === other;
}

/** Removes what install wrote and nothing else; changed and foreign files stay, and so do folders it did not make. */
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
  await refuseLink(directory);
  const outcome: InstallOutcome = { skill: name, directory, written: [], removed: [], kept: [], leftOut: [] };
  await removeFiles(directory, [...ownHashes(locked)], outcome, options.dryRun);
  if (options.dryRun) return outcome;
  if (locked.writing !== undefined) removeUnfinished(directory);
  delete lock.skills[name];
  await writeLock(root, lock);
  await removeIfEmpty(directory);
  if (Object.keys(lock.skills).length > 0) return outcome;
  let folder = root;
  for (let left = lock.made ?? 0; left > 0; left -= 1) {
    if (!(await removeIfEmpty(folder))) break;
    folder = path.dirname(folder);
  }
  return outcome;
}

async function removeFiles(
  directory: string,
  files: readonly (readonly [string, readonly string[]])[],
  outcome: InstallOutcome,
  dryRun: boolean,
): Promise<void> {
  const folders = new Set<string>();
  for (const [file, hashes] of files) {
    const target = await containedPath(directory, file).catch(() => undefined);
    const there = target === undefined ? undefined : (await lookAt(target)).hash;
    if (target === undefined || there === undefined) continue;
    if (!hashes.includes(there)) {
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

/** Whether the folder is gone now; one that is not empty stays. */
async function removeIfEmpty(directory: string): Promise<boolean> {
  return rmdir(directory).then(
    () => true,
    () => false,
  );
}

type Found = { hash: string | undefined; executable: boolean; blocked: boolean };

/** What is at the place of a file. A folder there, or a file where its folder should be, is in the way. */
async function lookAt(file: string): Promise<Found> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return { hash: undefined, executable: false, blocked: true };
    return { hash: hashOf(await readFile(file)), executable: (found.mode & 0o111) !== 0, blocked: false };
  } catch (error) {
    if (!isMissing(error)) throw error;
    const blocked = error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
    return { hash: undefined, executable: false, blocked };
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** SKILL.md for one host: fields it does not know move under `metadata`; a file without such fields stays byte for byte. */
export function overlayFor(host: Host, text: string): string {
  const { present, data, body, problems } = readFrontMatter(text);
  if (!present || problems.length > 0) return text;
  const foreign = Object.keys(data).filter(
    (key) => Object.hasOwn(hostOnlyFields, key) && hostOnlyFields[key]?.includes(host) === false,
  );
  if (foreign.length === 0) return text;
  const metadata: Record<string, unknown> = isRecord(data['metadata']) ? { ...data['metadata'] } : {};
  for (const key of foreign)
    metadata[key] = typeof data[key] === 'string' ? data[key] : JSON.stringify(data[key]);
  const kept = Object.fromEntries(
    Object.entries(data).filter(([key]) => !foreign.includes(key) && key !== 'metadata'),
  );
  return writeFrontMatter({ ...kept, metadata }, body);
}

/** What was installed: every file with its hash, so that uninstall removes exactly that. */
type LockFile = {
  version: 1;
  /** How many folders install made for the root: it alone is 1, with its parent 2. They go with the last skill. */
  made?: number;
  skills: Record<string, LockedSkill>;
};

type LockedSkill = {
  source: string;
  host: Host;
  files: Record<string, string>;
  /** What an install was about to write when it began; it is gone when that is done, and stays when it was killed. */
  writing?: Record<string, string>;
};

const lockName = '.charrette-skills.lock.json';

async function readLock(root: string): Promise<LockFile> {
  const file = path.join(root, lockName);
  if (!existsSync(file)) return { version: 1, skills: record([]) };
  const value = parseJson(await readFile(file, 'utf8'), file);
  if (!isRecord(value) || value['version'] !== 1 || !isRecord(value['skills'])) throw noLock(file);
  const skills = Object.entries(value['skills']).map(([name, skill]): [string, LockedSkill] => {
    if (!isRecord(skill) || !isRecord(skill['files'])) throw noLock(file);
    const { writing } = skill;
    const locked = {
      ...(skill as unknown as LockedSkill),
      files: record<string>(Object.entries(skill['files'])),
    };
    return [
      name,
      isRecord(writing) ? { ...locked, writing: record<string>(Object.entries(writing)) } : locked,
    ];
  });
  const made = value['made'];
  return {
    version: 1,
    ...(typeof made === 'number' && Number.isInteger(made) ? { made } : {}),
    skills: record(skills),
  };
}

/** Writes the lock; one without skills goes. */
async function writeLock(root: string, lock: LockFile): Promise<void> {
  const file = path.join(root, lockName);
  if (Object.keys(lock.skills).length === 0) await rm(file, { force: true });
  else await rewriteFileAtomic(file, `${JSON.stringify(lock, null, 2)}\n`);
}

/** The files of an installed skill with the hashes that ours may have: as it was, and as a killed install was making it. */
function ownHashes(locked: LockedSkill | undefined): ReadonlyMap<string, readonly string[]> {
  const own = new Map<string, string[]>();
  for (const [file, hash] of [
    ...Object.entries(locked?.files ?? {}),
    ...Object.entries(locked?.writing ?? {}),
  ])
    own.set(file, [...(own.get(file) ?? []), hash]);
  return own;
}

/** A record that has nothing but its entries: `constructor` and `__proto__` are names like others. */
function record<T>(entries: Iterable<readonly [string, unknown]>): Record<string, T> {
  const made = Object.create(null) as Record<string, T>;
  for (const [key, value] of entries) made[key] = value as T;
  return made;
}

function noLock(file: string): CharretteError {
  return new CharretteError({
    code: 'json-invalid',
    message: `${file} is not a lock file of version 1.`,
    fix: 'Restore it, or remove it and install again with --force.',
  });
}
