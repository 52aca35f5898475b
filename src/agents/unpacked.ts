import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { containedPath, isMissing } from '../base/files/contained.ts';
import type { Driver } from './drivers/driver.ts';
import type { AgentTask } from './port.ts';
import { childEnvironment } from './process/environment.ts';
import { runProcess } from './run-process.ts';
import type { World } from './settings.ts';

/** The call for which something is unpacked: its lane knows the process, its limits and its signal end it. */
export type Unpacking = {
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
