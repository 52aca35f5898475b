import path from 'node:path';
import type { Protocol } from '../base/schema/calls.ts';
import type { AgentTask } from './port.ts';

/** The configuration of one agent, and the environment that a driver may read. */

export type AgentSettings = {
  /** The name in the configuration. */
  id: string;
  protocol: Protocol;
  /** Program and leading arguments. Default: the protocol's usual program on PATH. */
  command?: readonly string[];
  model?: string;
  effort?: string;
  family?: string;
  baseUrl?: string;
  /** Agents with the same name share their limits, whatever their logins look like. */
  account?: string;
  /** Calls of this agent at the same time, over all processes of the machine. */
  parallel?: number;
  /** The declared agent that a panel gave another model or effort. */
  variantOf?: string;
  /** Variables for the child, on top of the safelist and the login. */
  env?: Readonly<Record<string, string>>;
  /** Variables of `env` that are not kept with a run because they carry secrets. */
  withheld?: readonly string[];
};

/** Everything a driver learns about the machine comes through here, so tests can hand in another one. */
export type World = {
  /** The caller's environment; only named variables are ever copied from it. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The user's own HOME, where logins live. */
  home: string;
  platform: NodeJS.Platform;
  architecture: string;
  /** `auto` uses bubblewrap where it works; `off` forces the fallback. */
  jail: 'auto' | 'off';
  /** Where unpacked agent programs are kept between runs. Default: every private HOME gets its own. */
  cache?: string;
};

/** The world of this process; called once, at the edge. */
export function thisWorld(): World {
  const home = process.env['HOME'] ?? '/';
  return {
    environment: process.env,
    home,
    platform: process.platform,
    architecture: process.arch,
    jail: process.env['CHARRETTE_JAIL'] === 'off' ? 'off' : 'auto',
    cache: path.join(process.env['XDG_CACHE_HOME'] ?? path.join(home, '.cache'), 'charrette', 'agents'),
  };
}

/** The folder of a project that holds the record of its runs: logins in use, answers, votes, who proposed what. */
export const recordsFolder = '.charrette';

/** Of that folder what the project itself wrote; seats may read it like the rest of the project. */
export const projectSettings = ['.gitignore', 'config.json', 'prompts'] as const;

/** The outermost records that a path lies in: a run inside a run belongs to the project of the outer one. */
export function recordsAround(place: string): string | undefined {
  const parts = path.resolve(place).split(path.sep);
  const at = parts.indexOf(recordsFolder);
  return at === -1 ? undefined : parts.slice(0, at + 1).join(path.sep);
}

/** True if a path, relative to the working directory, leads into records. */
export function leadsIntoRecords(relative: string): boolean {
  return relative.toLowerCase().split(/[\\/]/).includes(recordsFolder);
}

/** Variables that name files and folders with the certificates of a person's network. */
export const certificateVariables = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'] as const;

/** The only variables of the caller that every child may see; logins add theirs by name. */
export const environmentSafelist = [
  'PATH',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'SYSTEMROOT',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  ...certificateVariables,
] as const;

/** Marks every process of a lane, so that those which left its process tree are found too. */
export const laneMarkerVariable = 'CHARRETTE_LANE';

/** The variables that tell an agent program about its call; our hooks inside it do nothing if a run is named. */
export function taskVariables({ run, seat, task, attempt }: AgentTask): Record<string, string> {
  return {
    CHARRETTE_RUN: run,
    CHARRETTE_SEAT: seat,
    CHARRETTE_TASK: task,
    CHARRETTE_ATTEMPT: String(attempt),
  };
}

/** The child's environment, built from nothing: safelist, private HOME, then what the driver and the settings name. */
export function childEnvironment(
  world: Pick<World, 'environment'>,
  home: string,
  ...named: readonly Readonly<Record<string, string>>[]
): Record<string, string> {
  return Object.assign(
    pickVariables(world.environment, environmentSafelist),
    { HOME: home, TMPDIR: `${home}/tmp`, TERM: 'dumb', NO_COLOR: '1' },
    ...named,
  );
}

/** Exactly the named variables that are set and not empty. */
export function pickVariables(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** What the named variables point to: a file, a folder, or a list of those. */
export function namedPaths(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): string[] {
  return Object.values(pickVariables(environment, names))
    .flatMap((value) => [value, ...value.split(path.delimiter)])
    .filter((place) => path.isAbsolute(place));
}
