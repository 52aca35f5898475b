import { createHash, randomBytes } from 'node:crypto';
import { constants, existsSync, statSync } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic.ts';
import { containedPath, isInside, isMissing } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import type { Driver } from './drivers/driver.ts';
import type { AgentTask } from './port.ts';
import { runProcess } from './run-process.ts';
import { childEnvironment, pickVariables, type World } from './settings.ts';

/** The call for which something is unpacked: its lane knows the process, its limits and its signal end it. */
type Unpacking = {
  driver: Driver;
  program: readonly string[];
  world: World;
  task: Pick<AgentTask, 'laneDirectory' | 'limits'>;
  signal: AbortSignal;
};

/** Programs that did not unpack for this process; they are not asked again, every private HOME gets its own. */
const unwilling = new Set<string>();
/** Unpacking takes seconds even on a slow disk. */
const longestMs = 120_000;

/**
 * Gives a private HOME what the program would unpack into it, from one copy for all lanes: some programs put 200 MB into
 * every new HOME. Answers the folders the jail must keep visible; they stay read-only there.
 */
export async function shareUnpacked(unpacking: Unpacking, home: string): Promise<string[]> {
  const { driver, program, world, signal } = unpacking;
  if (driver.unpacks === undefined || world.cache === undefined) return [];
  const store = path.join(world.cache, keyOf(program));
  if (!existsSync(store)) {
    if (unwilling.has(store)) return [];
    if (!(await unpack(unpacking, store))) {
      if (!signal.aborted) unwilling.add(store);
      return [];
    }
  }
  for (const folder of driver.unpacks) {
    const [source, link] = [path.join(store, folder), path.join(home, folder)];
    if (!existsSync(source) || existsSync(link)) continue;
    await mkdir(path.dirname(await containedPath(home, folder)), { recursive: true, mode: 0o700 });
    await symlink(source, link);
  }
  return [store];
}

/** Another file at the same place is another program. */
function keyOf(program: readonly string[]): string {
  const facts = program.map((part) => {
    const file = path.isAbsolute(part) && existsSync(part) ? statSync(part) : undefined;
    return [part, file?.size, file?.mtimeMs];
  });
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 24);
}

/** Asks for the version in a separate HOME: the program unpacks without a model or prompt. */
async function unpack({ driver, program, world, task, signal }: Unpacking, store: string): Promise<boolean> {
  await mkdir(path.dirname(store), { recursive: true, mode: 0o700 });
  const temporary = await mkdtemp(`${store}.`);
  try {
    await mkdir(path.join(temporary, 'tmp'));
    const wallMs = Math.min(task.limits.wallMs, longestMs);
    const { code, ended } = await runProcess({
      argv: [...program, ...driver.versionArguments],
      directory: temporary,
      environment: childEnvironment(world, temporary),
      input: '',
      laneDirectory: task.laneDirectory,
      limits: { wallMs, idleMs: wallMs, termGraceMs: 500 },
      signal,
      onLine: () => undefined,
    });
    if (code !== 0 || ended !== undefined) return false;
    await rename(temporary, store);
    return true;
  } catch (error) {
    // Another lane was faster.
    if (existsSync(store)) return true;
    if (isMissing(error)) return false;
    throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The HOME of a lane's agent, and of the conversations that began there. */
export function homeOf(laneDirectory: string): string {
  return path.join(laneDirectory, 'home');
}

/** Makes a lane's HOME with its `tmp`. What an earlier call of the conversation put in the place of that goes, not what it links to. */
export async function openHome(home: string): Promise<void> {
  const folder = path.join(home, 'tmp');
  const there = await lstat(folder).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (there?.isDirectory() === false) await rm(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/**
 * Writes files into HOME. Each new file replaces the old one, which is never opened: it may be a pipe that
 * no process reads, or a link.
 */
export async function writeHomeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const folder = await containedPath(home, path.dirname(name));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fresh = path.join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await writeFile(fresh, content, { mode: 0o600, flag: 'wx' });
      await rename(fresh, path.join(folder, path.basename(name)));
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }
}

/** Errors that the owner of a tree of files can cause; a full or broken disk is not among them. */
const errorsOfShape = new Set([
  ...['EACCES', 'EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'ENXIO'],
  ...['EPERM', 'ERR_FS_EISDIR'],
]);

/** Why a HOME cannot be used any more, when an error comes from what an earlier call of the conversation made of it. */
export function unusableHomeReason(homes: readonly string[], error: unknown): string | undefined {
  if (error instanceof CharretteError) return error.code === 'path-unsafe' ? error.message : undefined;
  if (!(error instanceof Error) || !('code' in error) || !errorsOfShape.has(String(error.code)))
    return undefined;
  const place = 'path' in error ? error.path : undefined;
  if (typeof place !== 'string' || !homes.some((home) => isInside(home, place))) return undefined;
  return `The HOME of this conversation is unusable: ${error.message}`;
}

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
  /** A variable that moves the file's folder; `folder` is its default. */
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
  /** Returns renewed tokens to the user; the last call to release removes the copies. */
  release: () => Promise<ReturnedLogin>;
};

/** The user's files that were renewed, and those that were not, although the agent changed its copy. */
export type ReturnedLogin = { returned: string[]; refused: { file: string; reason: string }[] };

/** Branches of one conversation share a HOME: the second must not copy over what the first has renewed. */
const held = new Map<string, { calls: number; copied: Promise<CopiedLogin[]> }>();

/** Puts the login into the private HOME. Runs stay on disk; keys stay there only while a call needs them. */
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

/** The file at a copy's place, unless the agent made its path lead out of HOME. */
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
 * once. A file that changed in the meantime is not touched, nor one whose copy is not a login of the same
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
  if (renewed === undefined || before === undefined) return 'its copy is not a JSON object';
  return before.isSubsetOf(renewed) ? undefined : 'its copy lacks keys';
}

function keysOf(content: Uint8Array): Set<string> | undefined {
  const reading = readJson(Buffer.from(content).toString('utf8'));
  return reading.ok && isRecord(reading.value) ? new Set(Object.keys(reading.value)) : undefined;
}
