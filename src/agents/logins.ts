import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../files/atomic.ts';
import { isMissing } from '../files/contained.ts';
import { pickVariables } from './process/environment.ts';
import type { World } from './settings.ts';

/** What an agent needs of its user's own login. Exactly this reaches the child, nothing else of HOME or environment. */
export type Login = {
  /** Files, relative to HOME, copied into the private HOME. */
  files: readonly LoginFile[];
  variables: readonly string[];
  /** Further variables that matter only when the first is set: cloud platforms behind an agent. */
  variablesWhen?: Readonly<Record<string, readonly string[]>>;
  /** Variables that name a file; where that lies in HOME, the jail keeps it visible. */
  fileVariables?: readonly string[];
};

export type LoginFile = {
  path: string;
  /** The agent may renew what is in it; a renewed copy is written back to the user's file. */
  renewed?: boolean;
  /** A variable that moves the file's folder; `folder` is what it stands for by default. */
  moved?: { variable: string; folder: string };
};

export type CopiedLogin = { source: string; copy: string; renewed: boolean; hash: string };

const fileLimit = 4 * 1024 * 1024;

/** The variables of the login, from the caller's environment. */
export function loginVariables(login: Login, environment: World['environment']): Record<string, string> {
  const further = Object.entries(login.variablesWhen ?? {}).flatMap(([name, names]) =>
    environment[name] === undefined || environment[name] === '' ? [] : [name, ...names],
  );
  return pickVariables(environment, [...login.variables, ...further, ...(login.fileVariables ?? [])]);
}

/** A login in a private HOME, for as long as calls use that HOME. */
export type HeldLogin = {
  /** The files that were copied, relative to HOME. */
  files: readonly string[];
  /** Gives renewed tokens back to the user; the last call to let go removes the copies. Answers what was given back. */
  release: () => Promise<string[]>;
};

/** Branches of one conversation share a HOME: the second must not copy over what the first has renewed. */
const held = new Map<string, { calls: number; copied: Promise<CopiedLogin[]> }>();

/** Puts the login into the private HOME. Runs are kept on disk; keys stay there only while somebody needs them. */
export async function holdLogin(login: Login, world: World, home: string): Promise<HeldLogin> {
  const entry = held.get(home) ?? { calls: 0, copied: copyLogin(login, world, home) };
  entry.calls += 1;
  held.set(home, entry);
  const copied = await entry.copied;
  return {
    files: copied.map((file) => path.relative(home, file.copy)),
    release: async () => {
      const returned = await returnRenewedLogins(copied);
      entry.calls -= 1;
      if (entry.calls === 0) {
        held.delete(home);
        for (const file of copied) await rm(file.copy, { force: true });
      }
      return returned;
    },
  };
}

/** Removes the copies that a killed command left in a lane. */
export async function dropOrphanedLogin(login: Login, laneDirectory: string): Promise<void> {
  const home = path.join(laneDirectory, 'home');
  if (held.has(home)) return;
  for (const file of login.files) await rm(path.join(home, file.path), { force: true });
}

/** Files outside the private HOME that the login's variables point to. */
export function namedLoginFiles(login: Login, world: World): string[] {
  return (login.fileVariables ?? []).flatMap((name) => {
    const file = world.environment[name];
    return file !== undefined && path.isAbsolute(file) ? [file] : [];
  });
}

function sourceOf(file: LoginFile, world: World): string {
  const moved = file.moved === undefined ? undefined : world.environment[file.moved.variable];
  if (file.moved === undefined || moved === undefined || !path.isAbsolute(moved)) {
    return path.join(world.home, file.path);
  }
  return path.join(moved, path.relative(file.moved.folder, file.path));
}

async function readSmallFile(file: string): Promise<Buffer | undefined> {
  try {
    const facts = await stat(file);
    if (!facts.isFile() || facts.size > fileLimit) return undefined;
    return await readFile(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Copies the login's files into the private HOME, readable by their owner only. Missing ones are skipped. */
async function copyLogin(login: Login, world: World, home: string): Promise<CopiedLogin[]> {
  const copied: CopiedLogin[] = [];
  for (const file of login.files) {
    const source = sourceOf(file, world);
    const content = await readSmallFile(source);
    if (content === undefined) continue;
    const copy = path.join(home, file.path);
    await mkdir(path.dirname(copy), { recursive: true, mode: 0o700 });
    await writeFile(copy, content, { mode: 0o600 });
    await chmod(copy, 0o600);
    copied.push({ source, copy, renewed: file.renewed === true, hash: hashOf(content) });
  }
  return copied;
}

/**
 * Writes renewed tokens back, so that a run does not log its user out: many providers accept a refresh token only
 * once. A file that somebody else changed in the meantime is left alone.
 */
async function returnRenewedLogins(copied: readonly CopiedLogin[]): Promise<string[]> {
  const returned: string[] = [];
  for (const login of copied) {
    if (!login.renewed) continue;
    const [now, original] = [await readSmallFile(login.copy), await readSmallFile(login.source)];
    if (now === undefined || original === undefined || now.byteLength === 0) continue;
    if (hashOf(now) === login.hash || hashOf(original) !== login.hash) continue;
    // The file may be a link into a folder of dotfiles; the link stays.
    const target = await realpath(login.source);
    await writeFileAtomic(target, now);
    await chmod(target, 0o600);
    returned.push(login.source);
  }
  return returned;
}
