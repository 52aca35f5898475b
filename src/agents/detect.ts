import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Driver } from './drivers/driver.ts';
import { childEnvironment } from './process/environment.ts';
import { runProcess } from './run-process.ts';
import type { AgentSettings, World } from './settings.ts';

/** Program and leading arguments, absolute; `undefined` when it is not installed. */
export function resolveProgram(driver: Driver, settings: AgentSettings, world: World): string[] | undefined {
  const [name, ...rest] = settings.command ?? [];
  if (name !== undefined) {
    const found = findOnPath(name, world);
    return found === undefined ? undefined : [found, ...rest];
  }
  const found = driver.programs
    .map((program) => findOnPath(program, world))
    .find((program) => program !== undefined);
  return found === undefined ? undefined : [nativeOf(found, driver, world) ?? found];
}

/** An executable file by name on PATH, or by path. */
export function findOnPath(name: string, world: Pick<World, 'environment'>): string | undefined {
  if (name === '' || name.includes('\0')) return undefined;
  if (name.includes(path.sep)) return isExecutable(path.resolve(name)) ? path.resolve(name) : undefined;
  return (world.environment['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isExecutable);
}

/** The native binary behind an npm shim: the shim is one more process, and may die without its child. */
function nativeOf(program: string, driver: Driver, world: World): string | undefined {
  const real = realpathSync(program);
  const marker = `${path.sep}node_modules${path.sep}`;
  const roots: string[] = [];
  for (let at = real.indexOf(marker); at !== -1; at = real.indexOf(marker, at + 1)) {
    roots.push(real.slice(0, at + marker.length));
  }
  // npm nests platform packages below the package or lifts them beside it.
  const inside = roots.flatMap((root) => {
    const [scope = '', name = ''] = real.slice(root.length).split(path.sep);
    const folder = scope.startsWith('@') ? path.join(scope, name) : scope;
    return [root, path.join(root, folder, 'node_modules')];
  });
  const natives = driver.natives.map((native) =>
    native.replace('{os}', world.platform).replace('{cpu}', world.architecture),
  );
  return inside
    .flatMap((root) => natives.map((native) => path.join(root, native)))
    .find((file) => existsSync(file) && isExecutable(file));
}

/** The version a program tells, or `undefined` when it tells none in time. `folder` gets a HOME for it. */
export async function programVersion(
  program: readonly string[],
  driver: Driver,
  world: World,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<string | undefined> {
  if (program.length === 0 || driver.versionArguments.length === 0) return undefined;
  const home = await mkdtemp(path.join(folder, 'version-'));
  try {
    const { stdout, stderr } = await runProcess({
      argv: [...program, ...driver.versionArguments],
      directory: home,
      environment: childEnvironment(world, home),
      input: '',
      laneDirectory: home,
      limits: { wallMs: 15_000, idleMs: 15_000, termGraceMs: 500, outputBytes: 1024 * 1024 },
      signal,
      onLine: () => undefined,
    });
    return /\d+\.\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
