import { createHash, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { containedPath, isInside, isMissing } from '../base/files/contained.ts';
import type { Driver } from './drivers/driver.ts';
import type { AgentTask } from './port.ts';
import { childEnvironment } from './process/environment.ts';
import { runProcess } from './run-process.ts';
import type { World } from './settings.ts';

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

/** Asks for the version in a HOME of its own: the program unpacks, and no model and no prompt is near. */
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
 * Writes files into HOME. Each is a new one that takes its place: what stands there is never opened, for it may be a pipe that
 * nobody reads, or a link.
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

/** What a tree of files can be made to answer by whoever owns it. A full or broken disk is not among it. */
const errorsOfShape = new Set([
  ...['EACCES', 'EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'ENXIO'],
  ...['EPERM', 'ERR_FS_EISDIR'],
]);

/** Why a HOME cannot be used any more, when an error comes from what an earlier call of the conversation made of it. */
export function spoiltHome(homes: readonly string[], error: unknown): string | undefined {
  if (error instanceof CharretteError) return error.code === 'path-unsafe' ? error.message : undefined;
  if (!(error instanceof Error) || !('code' in error) || !errorsOfShape.has(String(error.code)))
    return undefined;
  const place = 'path' in error ? error.path : undefined;
  if (typeof place !== 'string' || !homes.some((home) => isInside(home, place))) return undefined;
  return `The HOME of this conversation was left in a state that it cannot go on from: ${error.message}`;
}
