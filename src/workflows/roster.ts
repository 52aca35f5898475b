import type { Agent } from '../agents/port.ts';
import { createAgent, detectAgents, type Factories } from '../agents/registry.ts';
import type { AgentSettings, World } from '../agents/settings.ts';
import { CharretteError } from '../base/errors.ts';
import type { Config } from '../base/schema/config.ts';
import { redactCommand, redactionMark, redactSetting, redactText } from '../base/text/secrets.ts';
import { createStaticAgent } from '../council/rule-based/static-agent.ts';

const factories: Factories = {
  static: ({ id }) => createStaticAgent({ id }),
};

/**
 * The agents of a run, in order of preference: declared ones, then other found ones. With none of either
 * the static agent serves, so that a first run always works.
 */
export function rosterOf(config: Config, world: World, only?: readonly string[]): AgentSettings[] {
  const declared = Object.entries(config.agents ?? {})
    .filter(([, settings]) => settings.enabled !== false)
    .map(([id, { enabled: _, ...settings }]): AgentSettings => ({ id, ...settings }));
  const hidden = new Set(Object.keys(config.agents ?? {}));
  const found = config.detect === false ? [] : detectAgents(world).map(({ settings }) => settings);
  const all = [...declared, ...found.filter(({ id }) => !hidden.has(id))];
  if (only === undefined) return all.length > 0 ? all : [staticSettings];
  const offered = [...all, ...(all.some(({ id }) => id === 'static') ? [] : [staticSettings])];
  return only.map((id) => offered.find((settings) => settings.id === id) ?? refuse(id, offered));
}

/** The agents that `--agents` names, each once; an empty list is an error. */
export function agentNames(list: string | undefined): string[] | undefined {
  if (list === undefined) return undefined;
  const names = list.split(',').map((name) => name.trim());
  const named = [...new Set(names.filter((name) => name !== ''))];
  if (named.length > 0) return named;
  throw new CharretteError({
    code: 'usage',
    message: `--agents requires at least one name, but got ${JSON.stringify(list)}.`,
    fix: 'Run `charrette doctor` for the names; separate them with commas.',
  });
}

/**
 * Who shall write: the one a flag names, who must be there, else the one of the configuration, who may be away on this
 * machine or left out by `--agents`.
 */
export function authorOf(
  roster: readonly AgentSettings[],
  flag: string | undefined,
  configured: string | undefined,
): { author?: string; warnings: string[] } {
  const isThere = (author: string) => roster.some(({ id }) => id === author);
  const there = roster.map(({ id }) => id).join(', ');
  if (flag !== undefined && !isThere(flag)) {
    throw new CharretteError({
      code: 'agent-not-found',
      message: `--author names ${JSON.stringify(flag)}; in this run are ${there}.`,
      fix: 'Name one of them, or add it with --agents or the configuration.',
    });
  }
  const author = flag ?? configured;
  if (author === undefined) return { warnings: [] };
  if (isThere(author)) return { author, warnings: [] };
  return {
    warnings: [
      `**⚠ The author of the configuration, ${JSON.stringify(author)}, is not in this run; here are ${there}.**`,
    ],
  };
}

const staticSettings: AgentSettings = { id: 'static', protocol: 'static' };

/** Makes the agents that settings describe, by id. */
export async function seatAgents(
  roster: readonly AgentSettings[],
  world: World,
): Promise<Map<string, Agent>> {
  const agents = await Promise.all(roster.map((settings) => createAgent(settings, world, factories)));
  return new Map(agents.map((agent) => [agent.id, agent]));
}

function refuse(id: string, offered: readonly AgentSettings[]): never {
  throw new CharretteError({
    code: 'agent-not-found',
    message: `--agents names ${JSON.stringify(id)}; there are ${offered.map((settings) => settings.id).join(', ')}.`,
    fix: 'Run `charrette doctor`, install the agent, or declare it in the configuration.',
  });
}

/** Settings as a run keeps them: secrets are named or redacted, their values stay where they were configured. */
export function redactSecrets({ env, ...settings }: AgentSettings): AgentSettings {
  const { command, baseUrl } = settings;
  const shown = {
    ...settings,
    ...(command === undefined ? {} : { command: redactCommand(command).shown }),
    ...(baseUrl === undefined ? {} : { baseUrl: redactText(baseUrl).shown }),
  };
  if (env === undefined) return shown;
  const isSecret = ([name, value]: [string, string]) => redactSetting(name, value).secrets.length > 0;
  const { open = [], secret = [] } = Object.groupBy(Object.entries(env), (entry) =>
    isSecret(entry) ? 'secret' : 'open',
  );
  return {
    ...shown,
    env: Object.fromEntries(open),
    ...(secret.length === 0 ? {} : { withheld: secret.map(([name]) => name) }),
  };
}

/** The same settings with the secrets that the configuration has now; a command or address that holds one is that of now. */
export function restoreSecrets(settings: AgentSettings, agents: Config['agents']): AgentSettings {
  const { withheld = [], command, baseUrl, ...rest } = settings;
  const configured = agents?.[settings.variantOf ?? settings.id];
  const values = withheld.flatMap((name) => {
    const value = configured?.env?.[name];
    return value === undefined ? [] : [[name, value]];
  });
  const now = {
    command: command?.some(isRedacted) === true ? (configured?.command ?? command) : command,
    baseUrl: isRedacted(baseUrl ?? '') ? (configured?.baseUrl ?? baseUrl) : baseUrl,
  };
  return {
    ...rest,
    ...(now.command === undefined ? {} : { command: now.command }),
    ...(now.baseUrl === undefined ? {} : { baseUrl: now.baseUrl }),
    ...(withheld.length === 0 ? {} : { env: { ...rest.env, ...Object.fromEntries(values) } }),
  };
}

function isRedacted(text: string): boolean {
  return text.includes(redactionMark);
}
