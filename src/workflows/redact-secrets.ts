import type { AgentSettings } from '../agents/settings.ts';
import type { Config } from '../base/schema/config.ts';
import { redactCommand, redactionMark, redactSetting, redactText } from '../base/text/secrets.ts';

/** Settings as a run keeps them: secrets are named or blotted out, their values stay where they were configured. */
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
  const configured = agents?.[settings.id];
  const values = withheld.flatMap((name) => {
    const value = configured?.env?.[name];
    return value === undefined ? [] : [[name, value]];
  });
  const now = {
    command: command?.some(isBlotted) === true ? (configured?.command ?? command) : command,
    baseUrl: isBlotted(baseUrl ?? '') ? (configured?.baseUrl ?? baseUrl) : baseUrl,
  };
  return {
    ...rest,
    ...(now.command === undefined ? {} : { command: now.command }),
    ...(now.baseUrl === undefined ? {} : { baseUrl: now.baseUrl }),
    ...(withheld.length === 0 ? {} : { env: { ...rest.env, ...Object.fromEntries(values) } }),
  };
}

function isBlotted(text: string): boolean {
  return text.includes(redactionMark);
}
