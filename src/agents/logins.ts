import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../base/files/atomic.ts';
import { containedPath, isMissing } from '../base/files/contained.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
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

type CopiedLogin = { source: string; name: string; renewed: boolean; hash: string };

const fileLimit = 4 * 1024 * 1024;

/** The variables of the login, from the caller's environment. */
export function loginVariables(login: Login, environment: World['environment']): Record<string, string> {
  const further = Object.entries(login.variablesWhen ?? {}).flatMap(([name, names]) =>
    environment[name] === undefined || environment[name] === '' ? [] : [name, ...names],
  );
  return pickVariables(environment, [...login.variables, ...further, ...(login.fileVariables ?? [])]);
}

/** Whether a login exists on this machine. It may have expired: only a call can tell. `unknown`: the agent has none, or a keychain. */
export type LoginState = 'found' | 'missing' | 'unknown';

/** Looks for the files and variables of a login; starts nothing and reads no content. */
export async function findLogin(login: Login, world: World): Promise<LoginState> {
  const secrets = login.variables.filter((name) => /KEY|TOKEN/.test(name));
  const switches = [...secrets, ...Object.keys(login.variablesWhen ?? {})];
  if (switches.some((name) => (world.environment[name] ?? '') !== '')) return 'found';
  const renewed = login.files.filter((file) => file.renewed === true);
  const files = renewed.length > 0 ? renewed : login.files;
  for (const file of files) {
    const facts = await stat(sourceOf(file, world)).catch(() => undefined);
    if (facts?.isFile() === true && facts.size > 0) return 'found';
  }
  if (files.length === 0 || world.platform === 'darwin') return 'unknown';
  return 'missing';
}

/** A login in a private HOME, for as long as calls use that HOME. */
export type HeldLogin = {
  /** The files that were copied, relative to HOME. */
  files: readonly string[];
  /** Gives renewed tokens back to the user; the last call to let go removes the copies. */
  release: () => Promise<ReturnedLogin>;
};

/** The user's files that were renewed, and those that were left alone although the agent's copy is another one now. */
export type ReturnedLogin = { returned: string[]; refused: { file: string; reason: string }[] };

/** Branches of one conversation share a HOME: the second must not copy over what the first has renewed. */
const held = new Map<string, { calls: number; copied: Promise<CopiedLogin[]> }>();

/** Puts the login into the private HOME. Runs are kept on disk; keys stay there only while somebody needs them. */
export async function holdLogin(login: Login, world: World, home: string): Promise<HeldLogin> {
  const entry = held.get(home) ?? { calls: 0, copied: copyLogin(login, world, home) };
  entry.calls += 1;
  held.set(home, entry);
  const copied = await entry.copied.catch((error: unknown) => {
    held.delete(home);
    throw error;
  });
  return {
    files: copied.map(({ name }) => name),
    release: async () => {
      try {
        return await returnRenewedLogins(copied, home);
      } finally {
        entry.calls -= 1;
        if (entry.calls === 0) {
          held.delete(home);
          for (const { name } of copied) await removeCopy(home, name);
        }
      }
    },
  };
}

/** Removes the copies that a killed command left in a HOME. */
export async function dropOrphanedLogin(login: Login, home: string): Promise<void> {
  if (held.has(home)) return;
  for (const file of login.files) await removeCopy(home, file.path);
}

/** What stands in the place of a copy, unless the agent made the way to it lead out of its HOME. */
async function removeCopy(home: string, name: string): Promise<void> {
  const folder = await folderOf(home, name).catch(() => undefined);
  if (folder === undefined) return;
  await rm(path.join(folder, path.basename(name)), { force: true, recursive: true }).catch(
    (error: unknown) => {
      // A file in the place of the folder has nothing in it.
      if (!isMissing(error)) throw error;
    },
  );
}

/** The folder of a copy. HOME is the agent's to change, and nothing of the user's may be reached through it. */
function folderOf(home: string, name: string): Promise<string> {
  return containedPath(home, path.dirname(name));
}

function sourceOf(file: LoginFile, world: World): string {
  const moved = file.moved === undefined ? undefined : world.environment[file.moved.variable];
  if (file.moved === undefined || moved === undefined || !path.isAbsolute(moved)) {
    return path.join(world.home, file.path);
  }
  return path.join(moved, path.relative(file.moved.folder, file.path));
}

/** A file of the user; it may be a link into a folder of dotfiles. */
async function readSmallFile(file: string, flags = 0): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | flags);
    const facts = await handle.stat();
    return facts.isFile() && facts.size <= fileLimit ? await handle.readFile() : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  } finally {
    await handle?.close();
  }
}

/** The copy as the agent left it: a file in HOME itself, reached by no link. `undefined` when it is anything else. */
async function readCopy(home: string, name: string): Promise<Buffer | undefined> {
  try {
    const folder = await folderOf(home, name);
    return await readSmallFile(path.join(folder, path.basename(name)), constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Copies the login's files into the private HOME, readable by their owner only. Missing ones are skipped. */
async function copyLogin(login: Login, world: World, home: string): Promise<CopiedLogin[]> {
  const copied: CopiedLogin[] = [];
  await mkdir(home, { recursive: true, mode: 0o700 });
  for (const file of login.files) {
    const source = sourceOf(file, world);
    const content = await readSmallFile(source);
    if (content === undefined) continue;
    await mkdir(await folderOf(home, file.path), { recursive: true, mode: 0o700 });
    // What an earlier call of the conversation left there goes first: it may be a link.
    await removeCopy(home, file.path);
    await writeFile(path.join(home, file.path), content, { mode: 0o600, flag: 'wx' });
    copied.push({ source, name: file.path, renewed: file.renewed === true, hash: hashOf(content) });
  }
  return copied;
}

/**
 * Writes renewed tokens back, so that a run does not log its user out: many providers accept a refresh token only
 * once. A file that somebody else changed in the meantime is left alone, and so is one whose copy is no login of the same
 * form any more: the agent can put there whatever it likes.
 */
async function returnRenewedLogins(copied: readonly CopiedLogin[], home: string): Promise<ReturnedLogin> {
  const result: ReturnedLogin = { returned: [], refused: [] };
  for (const login of copied) {
    if (!login.renewed) continue;
    const original = await readSmallFile(login.source);
    if (original === undefined || hashOf(original) !== login.hash) continue;
    const now = await readCopy(home, login.name);
    if (now !== undefined && hashOf(now) === login.hash) continue;
    const reason = now === undefined ? 'its copy is gone or no plain file' : differenceOf(now, original);
    if (now === undefined || reason !== undefined) {
      result.refused.push({ file: login.source, reason: reason ?? '' });
      continue;
    }
    await writeFileAtomic(await realpath(login.source), now, 'private');
    result.returned.push(login.source);
  }
  return result;
}

/** All files that are renewed are JSON objects; renewing may add something, it takes nothing away. */
function differenceOf(now: Uint8Array, original: Uint8Array): string | undefined {
  const [renewed, before] = [keysOf(now), keysOf(original)];
  if (renewed === undefined || before === undefined) return 'its copy is no JSON object';
  return before.isSubsetOf(renewed) ? undefined : 'its copy lacks keys';
}

function keysOf(content: Uint8Array): Set<string> | undefined {
  const reading = readJson(Buffer.from(content).toString('utf8'));
  return reading.ok && isRecord(reading.value) ? new Set(Object.keys(reading.value)) : undefined;
}
