import path from 'node:path';
import type { AgentTask } from '../port.ts';
import type { World } from '../settings.ts';

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
