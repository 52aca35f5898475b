import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { rewriteFileAtomic } from '../../base/files/atomic.ts';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import type { Host } from './package-tree.ts';

/** What was installed: every file with its hash, so that uninstall removes exactly that. */
export type LockFile = {
  version: 1;
  /** How many folders install made for the root: it alone is 1, with its parent 2. They go with the last skill. */
  made?: number;
  skills: Record<string, LockedSkill>;
};

export type LockedSkill = {
  source: string;
  host: Host;
  files: Record<string, string>;
  /** What an install was about to write when it began; it is gone when that is done, and stays when it was killed. */
  writing?: Record<string, string>;
};

const lockName = '.charrette-skills.lock.json';

export async function readLock(root: string): Promise<LockFile> {
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
export async function writeLock(root: string, lock: LockFile): Promise<void> {
  const file = path.join(root, lockName);
  if (Object.keys(lock.skills).length === 0) await rm(file, { force: true });
  else await rewriteFileAtomic(file, `${JSON.stringify(lock, null, 2)}\n`);
}

/** The files of an installed skill with the hashes that ours may have: as it was, and as a killed install was making it. */
export function ownHashes(locked: LockedSkill | undefined): ReadonlyMap<string, readonly string[]> {
  const own = new Map<string, string[]>();
  for (const [file, hash] of [
    ...Object.entries(locked?.files ?? {}),
    ...Object.entries(locked?.writing ?? {}),
  ])
    own.set(file, [...(own.get(file) ?? []), hash]);
  return own;
}

/** A record that has nothing but its entries: `constructor` and `__proto__` are names like others. */
export function record<T>(entries: Iterable<readonly [string, unknown]>): Record<string, T> {
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
