import { CharretteError } from '../base/errors.ts';
import { type Protocol, protocols } from '../base/schema/calls.ts';
import { Account } from './accounts.ts';
import { programVersion, resolveProgram } from './detect.ts';
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
import type { Agent } from './port.ts';
import { findLogin, type LoginState } from './private-home.ts';
import { createProcessAgent } from './process-agent.ts';
import type { AgentSettings, World } from './settings.ts';

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
