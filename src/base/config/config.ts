import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { LineCounter, parseDocument } from 'yaml';
import { CharretteError } from '../errors.ts';
import { readTextFile } from '../files/bounded.ts';
import { type Config, configSchema, serverAddress } from '../schema/config.ts';
import { issueWords, knownKeys } from '../schema/primitives.ts';
import { yamlValue } from '../text/frontmatter.ts';
import { literalPattern, plainNumber } from '../text/strings.ts';

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

/** The user's own directory. */
export function userHome(env: NodeJS.ProcessEnv): string {
  return env['HOME'] ?? homedir();
}

/** The folder of the user's own configuration: `$XDG_CONFIG_HOME/charrette`. Ignores a value that is not absolute. */
export function userFolder(env: NodeJS.ProcessEnv, home = userHome(env)): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return path.join(path.isAbsolute(given) ? given : path.join(home, '.config'), 'charrette');
}

/** A configuration file: its values and the line of each key. */
type ConfigSource = {
  /** `user`, `project` or `flag` (--config). */
  layer: 'user' | 'project' | 'flag';
  file: string;
  values: unknown;
  lineOf: (keys: readonly PropertyKey[]) => number | undefined;
};

const projectFiles = [
  'charrette.config.json',
  'charrette.config.yaml',
  'charrette.config.yml',
  'charrette.config.ts',
  'charrette.config.mjs',
  path.join('.charrette', 'config.json'),
];

/** The files that apply, weakest first. `explicit` is absolute, as it was named with --config. */
async function findSources(
  project: string,
  env: NodeJS.ProcessEnv,
  explicit: string | undefined,
): Promise<ConfigSource[]> {
  const userFile = path.join(userFolder(env), 'config.json');
  const sources: ConfigSource[] = [];
  if (existsSync(userFile)) sources.push(await readSource('user', userFile));
  if (explicit !== undefined) {
    if (!existsSync(explicit)) {
      throw new CharretteError({
        code: 'config-unreadable',
        message: `--config names ${explicit}, which does not exist.`,
      });
    }
    return [...sources, await readSource('flag', explicit)];
  }
  const found = projectFiles.map((name) => path.join(project, name)).filter((file) => existsSync(file));
  if (found.length > 1) {
    throw new CharretteError({
      code: 'config-invalid',
      message: `The project has ${found.length} configuration files: ${found.join(', ')}.`,
      fix: 'Keep one of them.',
    });
  }
  for (const file of found) sources.push(await readSource('project', file));
  return sources;
}

async function readSource(layer: ConfigSource['layer'], file: string): Promise<ConfigSource> {
  if (/\.(ts|mjs|js)$/.test(file))
    return { layer, file, values: await valuesOfModule(file), lineOf: () => undefined };
  const text = (await readTextFile(file)) ?? '';
  const lines = new LineCounter();
  // JSON is YAML with more brackets, so one reader gives line numbers for both.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true, logLevel: 'error' });
  const [problem] = document.errors;
  if (problem !== undefined) throw unreadable(file, problem, problem.linePos?.[0].line ?? 1);
  let values: unknown;
  try {
    values = yamlValue(document) ?? {};
  } catch (error) {
    // The document refers to missing anchors, or to so many that they would fill the memory.
    throw unreadable(file, error);
  }
  return {
    layer,
    file,
    values,
    lineOf: (keys) => {
      for (let length = keys.length; length > 0; length -= 1) {
        const node = document.getIn(keys.slice(0, length), true);
        const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
        if (Array.isArray(range) && typeof range[0] === 'number') return lines.linePos(range[0]).line;
      }
      return undefined;
    },
  };
}

/** What a configuration that is code exports; code that does not parse, or throws, cannot be read. */
async function valuesOfModule(file: string): Promise<unknown> {
  const { href } = pathToFileURL(file);
  try {
    return ((await import(href)) as { default?: unknown }).default;
  } catch (error) {
    // Both forms of a stack name the place: `file:///…:3` above a syntax error, `at file:///…:3:7` in a throw.
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const line = new RegExp(`(?:${literalPattern(href)}|${literalPattern(file)}):(\\d+)`).exec(stack)?.[1];
    throw unreadable(file, error, line);
  }
}

function unreadable(file: string, cause: unknown, line?: number | string): CharretteError {
  const [message] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  return new CharretteError({
    code: 'config-unreadable',
    message: `${file}${line === undefined ? '' : `:${line}`}: ${message}`,
    fix: 'Correct the file, or move it away to continue without it.',
    cause,
  });
}
