import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../files/contained.ts';
import type { Driver } from './drivers/driver.ts';
import { childEnvironment } from './process/environment.ts';
import type { World } from './settings.ts';

/**
 * Gives a private HOME what the program would unpack into it, from one copy for all lanes: some programs put 200 MB into
 * every new HOME. Answers the folders the jail must keep visible; they stay read-only there.
 */
export async function shareUnpacked(
  driver: Driver,
  program: readonly string[],
  world: World,
  home: string,
): Promise<string[]> {
  if (driver.unpacks === undefined || world.cache === undefined) return [];
  const store = path.join(world.cache, keyOf(program));
  if (!existsSync(store) && !(await unpack(driver, program, world, store))) return [];
  for (const folder of driver.unpacks) {
    const [source, link] = [path.join(store, folder), path.join(home, folder)];
    if (!existsSync(source) || existsSync(link)) continue;
    await mkdir(path.dirname(link), { recursive: true, mode: 0o700 });
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
async function unpack(
  driver: Driver,
  program: readonly string[],
  world: World,
  store: string,
): Promise<boolean> {
  await mkdir(path.dirname(store), { recursive: true, mode: 0o700 });
  const temporary = await mkdtemp(`${store}.`);
  try {
    await mkdir(path.join(temporary, 'tmp'));
    const [file = '', ...rest] = program;
    const code = await new Promise<number | null>((resolve) => {
      const child = spawn(file, [...rest, ...driver.versionArguments], {
        cwd: temporary,
        env: childEnvironment(world, temporary),
        stdio: 'ignore',
        timeout: 120_000,
      });
      child.once('error', () => resolve(null));
      child.once('exit', resolve);
    });
    if (code !== 0) return false;
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
