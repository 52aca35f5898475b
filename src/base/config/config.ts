import { CharretteError } from '../errors.ts';
import { type Config, configSchema, serverAddress } from '../schema/config.ts';
import { issueWords, knownKeys } from '../schema/issue-words.ts';
import { plainNumber } from '../text/format.ts';
import { type ConfigSource, findSources } from './sources.ts';

/** A setting and where it comes from. */
export type Origin = { key: string; value: unknown; from: string };

/** A configuration in which what has a number by default has one. */
type SettledConfig = Config & Pick<typeof defaults, 'databaseRetrySeconds' | 'limits' | 'queue'>;

export type ResolvedConfig = { config: SettledConfig; origins: Origin[]; files: string[] };

const defaults = {
  detect: true,
  store: 'embedded',
  databaseRetrySeconds: 300,
  panel: 'diagonal',
  dialectic: 'binding',
  padding: true,
  acceptDegraded: false,
  consent: false,
  git: { branch: 'create' },
  limits: { parallel: 8 },
  queue: { perWorker: 4, heartbeatTimeoutSeconds: 15, drainSeconds: 60, keepDays: 30 },
} satisfies Config;

/** Variables that set a value, with the key they set. */
const variables: readonly {
  name: string;
  key: keyof Config;
  read: (value: string) => unknown;
  /** What it takes, where the schema speaks of more than the variable can say. */
  takes?: string;
}[] = [
  {
    name: 'CHARRETTE_DATABASE_URL',
    key: 'store',
    read: (value: string) => ({ url: value }),
    takes: `${serverAddress}, in which signs such as # and @ in a name or a password are written %23 and %40`,
  },
  {
    name: 'CHARRETTE_DATABASE_RETRY_SECONDS',
    key: 'databaseRetrySeconds',
    read: (value: string) => plainNumber(value) ?? value,
  },
  { name: 'CHARRETTE_PANEL', key: 'panel', read: (value: string) => value },
  { name: 'CHARRETTE_AUTHOR', key: 'author', read: (value: string) => value },
  { name: 'CHARRETTE_DIALECTIC', key: 'dialectic', read: (value: string) => value },
  { name: 'CHARRETTE_CONSENT', key: 'consent', read: (value: string) => value === '1' || value === 'true' },
];

/** Flags > environment > project > user > defaults; each key knows where its value comes from. */
export async function loadConfig(options: {
  project: string;
  env: NodeJS.ProcessEnv;
  file?: string | undefined;
  flags?: Config;
}): Promise<ResolvedConfig> {
  const sources = await findSources(options.project, options.env, options.file);
  const layers: { from: string; values: Config }[] = [{ from: 'default', values: defaults }];
  for (const source of sources)
    layers.push({ from: `${source.layer}: ${source.file}`, values: checkSource(source) });
  for (const { name, key, read, takes } of variables) {
    const value = options.env[name];
    if (value === undefined || value === '') continue;
    const values = checkVariable(name, { [key]: read(value) }, takes);
    layers.push({ from: `environment: ${name}`, values });
  }
  if (options.flags !== undefined) layers.push({ from: 'flag', values: options.flags });
  return { ...merge(layers), files: sources.map((source) => source.file) };
}

function merge(layers: readonly { from: string; values: Config }[]): Omit<ResolvedConfig, 'files'> {
  const config: Record<string, unknown> = {};
  const origins = new Map<string, Origin>();
  for (const { from, values } of layers) {
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined || key === '$schema') continue;
      if (['agents', 'git', 'limits', 'queue'].includes(key)) {
        config[key] = { ...(config[key] as object | undefined), ...(value as object) };
        for (const [inner, set] of Object.entries(value as object)) {
          if (set !== undefined) origins.set(`${key}.${inner}`, { key: `${key}.${inner}`, value: set, from });
        }
      } else {
        config[key] = value;
        origins.set(key, { key, value, from });
      }
    }
  }
  return {
    config: config as SettledConfig,
    origins: [...origins.values()].sort((a, b) => a.key.localeCompare(b.key)),
  };
}

function checkSource(source: ConfigSource): Config {
  const result = configSchema.safeParse(source.values, { error: settingWords });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const keys =
    issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
  const line = source.lineOf(keys);
  const place = line === undefined ? source.file : `${source.file}:${line}`;
  throw new CharretteError({
    code: 'config-invalid',
    message: `${place}: \`${keys.join('.') || '(top)'}\` ${issue?.code === 'unrecognized_keys' ? '' : 'is wrong: '}${issue?.message}.`,
    fix: 'Run `charrette config --schema` for what is allowed.',
  });
}

const settingWords: typeof issueWords = (issue) =>
  issue.code === 'unrecognized_keys' ? `is not a setting${knownKeys(issue)}` : issueWords(issue);

function checkVariable(name: string, values: unknown, takes: string | undefined): Config {
  const result = configSchema.safeParse(values, { error: issueWords });
  if (result.success) return result.data;
  throw new CharretteError({
    code: 'config-invalid',
    message: `The variable ${name} is wrong: ${takes === undefined ? result.error.issues[0]?.message : `it takes ${takes}`}.`,
  });
}
