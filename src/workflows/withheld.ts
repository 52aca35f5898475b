import type { AgentSettings } from '../agents/settings.ts';
import type { Config } from '../schema/config.ts';
import { isSecretName } from '../text/secrets.ts';

/** Settings as a run keeps them: secrets are named, their values stay where they were configured. */
export function withhold({ env, ...settings }: AgentSettings): AgentSettings {
  if (env === undefined) return settings;
  const names = Object.keys(env).filter(isSecretName);
  const open = Object.fromEntries(Object.entries(env).filter(([name]) => !isSecretName(name)));
  return { ...settings, env: open, ...(names.length === 0 ? {} : { withheld: names }) };
}

/** The same settings with the values that the configuration has now. */
export function giveBack(settings: AgentSettings, agents: Config['agents']): AgentSettings {
  const { withheld = [], ...rest } = settings;
  const configured = agents?.[settings.id]?.env ?? {};
  const values = withheld.flatMap((name) => (name in configured ? [[name, configured[name]]] : []));
  return withheld.length === 0 ? rest : { ...rest, env: { ...rest.env, ...Object.fromEntries(values) } };
}
