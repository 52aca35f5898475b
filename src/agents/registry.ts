import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CharretteError } from '../base/errors.ts';
import { type Protocol, protocols } from '../base/schema/calls.ts';
import { Account } from './accounts.ts';
import { acp } from './drivers/acp.ts';
import { claude } from './drivers/claude.ts';
import { codex } from './drivers/codex.ts';
import { copilot } from './drivers/copilot.ts';
import { cursor } from './drivers/cursor.ts';
import { type Driver, exec } from './drivers/driver.ts';
import { gemini } from './drivers/gemini.ts';
import { goose } from './drivers/goose.ts';
import { grok } from './drivers/grok.ts';
import { opencode } from './drivers/opencode.ts';
import { pi } from './drivers/pi.ts';
import { qwen } from './drivers/qwen.ts';
import type { Agent, AgentTask, CallContext, LaneKind, LaneResult, Probe } from './port.ts';
import { findLogin, type LoginState } from './private-home.ts';
import { createProcessAgent } from './process-agent.ts';
import { runProcess } from './run-process.ts';
import { type AgentSettings, childEnvironment, type World } from './settings.ts';

/** The drivers of programs, in the order in which detection offers them. */
export const drivers = {
  claude,
  codex,
  cursor,
  gemini,
  opencode,
  qwen,
  grok,
  goose,
  copilot,
  pi,
  exec,
} as const satisfies Partial<Record<Protocol, Driver>>;

/** Makes an agent of a protocol that is not a program of ours to drive. */
export type AgentFactory = (settings: AgentSettings, world: World) => Agent | Promise<Agent>;

export type Factories = Partial<Record<Protocol, AgentFactory>>;

/** The agent that the settings describe. `factories` brings the protocols that other rooms implement. */
export async function createAgent(
  settings: AgentSettings,
  world: World,
  factories: Factories = {},
): Promise<Agent> {
  checkSettings(settings);
  const factory = factories[settings.protocol];
  if (factory !== undefined) return factory(settings, world);
  if (settings.protocol === 'model') {
    const { modelAgent } = await import('./model/model-agent.ts');
    return modelAgent(settings, world.environment);
  }
  const driver = driverOf(settings);
  if (driver === undefined) throw unknownProtocol(settings, factories);
  if (driver.programs.length === 0 && (settings.command?.length ?? 0) === 0) {
    throw new CharretteError({
      code: 'config-invalid',
      message: `Agent "${settings.id}" has protocol "${settings.protocol}" but no "command".`,
      fix: 'Give it a command, such as ["node", "agent.mjs"].',
    });
  }
  return createProcessAgent(driver, settings, world);
}

/** L-310: these become arguments, variables and lines of configuration files; a control character has no place there. */
function checkSettings(settings: AgentSettings): void {
  for (const name of ['model', 'effort', 'baseUrl', 'family'] as const) {
    const value = settings[name];
    if (value === undefined || (value.trim() !== '' && !/[\u0000-\u001f\u007f]/.test(value))) continue;
    throw new CharretteError({
      code: 'config-invalid',
      message: `Agent "${settings.id}" has a "${name}" that is ${value.trim() === '' ? 'blank' : 'not printable'}.`,
      fix: `Give "${name}" a printable value or leave it out.`,
    });
  }
}

function driverOf(settings: AgentSettings): Driver | undefined {
  const { protocol } = settings;
  if (protocol === 'acp') return acp(settings);
  return protocol in drivers ? drivers[protocol as keyof typeof drivers] : undefined;
}

export type DetectedAgent = {
  settings: AgentSettings;
  title: string;
  family: string;
  program: readonly string[];
};

/** The agents that are installed: one per driver whose program is on PATH. Starts nothing. */
export function detectAgents(world: World): DetectedAgent[] {
  return Object.entries(drivers).flatMap(([protocol, driver]: [string, Driver]) => {
    const settings: AgentSettings = { id: protocol, protocol: protocol as Protocol };
    const program = driver.programs.length === 0 ? undefined : resolveProgram(driver, settings, world);
    return program === undefined ? [] : [{ settings, title: driver.title, family: driver.family, program }];
  });
}

/** False when the program of an agent is not installed; agents without a program always are. */
export function isInstalled(settings: AgentSettings, world: World): boolean {
  const driver = driverOf(settings);
  return driver === undefined || resolveProgram(driver, settings, world) !== undefined;
}

/** The account of an agent that is a program; others have none that is kept. */
export function accountOf(settings: AgentSettings, world: World): Account | undefined {
  const driver = driverOf(settings);
  return driver === undefined ? undefined : new Account(driver, settings, world);
}

/** Whether the user is logged in to an agent, and how to log in when not. */
export async function agentLogin(
  settings: AgentSettings,
  world: World,
): Promise<{ login: LoginState; signIn?: string }> {
  const driver = driverOf(settings);
  if (driver === undefined) return { login: 'unknown' };
  const environment = { ...world.environment, ...settings.env };
  const login = await findLogin(driver.login, { ...world, environment });
  if (login !== 'missing') return { login };
  const [program] = settings.command ?? driver.programs;
  const [variable] = driver.login.variables.filter((name) => /KEY|TOKEN/.test(name));
  const ways = [
    ...(program === undefined ? [] : [`run \`${program}\` once to log in`]),
    ...(variable === undefined ? [] : [`set ${variable}`]),
  ];
  return { login, signIn: ways.join(', or ') };
}

/** The version of a detected or configured agent's program, asked with the safelisted environment. */
export async function agentVersion(
  settings: AgentSettings,
  world: World,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const driver = driverOf(settings);
  const program = driver === undefined ? undefined : resolveProgram(driver, settings, world);
  if (driver === undefined || program === undefined) return undefined;
  return programVersion(program, driver, world, { folder, signal });
}

function unknownProtocol(settings: AgentSettings, factories: Factories): CharretteError {
  const available = protocols.filter(
    (name) => name === 'acp' || name === 'model' || name in drivers || name in factories,
  );
  return new CharretteError({
    code: 'config-invalid',
    message: `Agent "${settings.id}" has protocol "${settings.protocol}"; available are ${available.join(', ')}.`,
    fix: 'Choose one of them in the configuration.',
  });
}

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
