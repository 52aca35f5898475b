import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from './drivers/driver.ts';
import type { Agent, AgentTask, CallContext, LaneKind, LaneResult, Probe } from './port.ts';
import { runProcess } from './run-process.ts';
import { type AgentSettings, childEnvironment, type World } from './settings.ts';

/** L-124: the probe's prompt, timeout and attempts. */
export const probeRules = {
  prompt: 'Respond with OK',
  wallMs: 60_000,
  attempts: 3,
  pauseMs: 10_000,
} as const;

/** Failures that another try cannot heal. */
const final: ReadonlySet<LaneKind> = new Set(['unhealthy', 'auth', 'cancelled', 'denied']);

/** L-125: goes through the very same call as production, so a refused flag shows here. L-126: any error is unhealthy. */
export async function probeAgent(
  call: (task: AgentTask, context: CallContext) => Promise<LaneResult>,
  context: Parameters<Agent['probe']>[0],
  rules: { attempts: number; pauseMs: number } = probeRules,
): Promise<Probe> {
  let message = 'The agent was not asked.';
  for (let attempt = 1; attempt <= rules.attempts; attempt += 1) {
    try {
      const result = await call(probeTask(context, attempt), context);
      if (result.kind === 'ok' && saysOk(result.text)) return { healthy: true };
      message =
        result.kind === 'ok'
          ? `The agent should have answered OK but said ${JSON.stringify(result.text.slice(0, 80))}.`
          : (result.message ?? result.kind);
      if (result.kind === 'quota') {
        const { resetsAt } = result.limit ?? {};
        return { healthy: false, message, usedUp: resetsAt === undefined ? {} : { resetsAt } };
      }
      if (final.has(result.kind)) break;
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    if (attempt < rules.attempts) {
      try {
        await sleep(rules.pauseMs, undefined, { signal: context.signal });
      } catch {
        break;
      }
    }
  }
  return { healthy: false, message };
}

/** Exactly `ok` once spaces are gone and case is ignored; a sentence with it in does not count. */
export function saysOk(text: string): boolean {
  return text.replace(/\s+/g, '').toLowerCase() === 'ok';
}

function probeTask(context: Parameters<Agent['probe']>[0], attempt: number): AgentTask {
  return {
    task: 'probe',
    // A probe must not use an earlier answer.
    run: `probe-${randomUUID()}`,
    seat: 'probe',
    attempt,
    prompt: probeRules.prompt,
    directory: context.directory,
    access: 'read',
    limits: { wallMs: probeRules.wallMs, idleMs: probeRules.wallMs },
    laneDirectory: context.laneDirectory,
  };
}

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
  // npm puts platform packages below the package or next to it.
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
