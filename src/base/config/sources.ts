import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { LineCounter, parseDocument } from 'yaml';
import { CharretteError } from '../errors.ts';
import { readTextFile } from '../files/bounded.ts';
import { yamlValue } from '../text/frontmatter.ts';
import { literalPattern } from '../text/strings.ts';

/** The user's own directory. */
export function userHome(env: NodeJS.ProcessEnv): string {
  return env['HOME'] ?? homedir();
}

/** The folder of the user's own configuration: `$XDG_CONFIG_HOME/charrette`. Ignores a value that is not absolute. */
export function userFolder(env: NodeJS.ProcessEnv): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return path.join(path.isAbsolute(given) ? given : path.join(userHome(env), '.config'), 'charrette');
}

/** A configuration file: its values and the line of each key. */
export type ConfigSource = {
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
export async function findSources(
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
