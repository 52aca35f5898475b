import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { retriablePostgresException } from '@dbos-inc/dbos-sdk/internal/system_database';
import type { AgentSettings, World } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { isCharretteError } from '../../base/errors.ts';
import { RunLostError } from '../../engine/queue/mirror.ts';
import { cloneAt, type Place } from '../../engine/queue/workers.ts';
import { type Home, homeOf, prepareHome } from '../../engine/run-directory.ts';
import { repositoryIdentity } from '../../repo/git/repository-facts.ts';
import { runGit } from '../../repo/git/run-git.ts';
import { rosterOf } from '../../workflows/roster.ts';

/**
 * Why a run cannot start. `lost`: another worker has it by now. `store`: the database could not be reached, and the run
 * can wait. `machine`: it cannot start here, but may elsewhere. `run`: it will not start anywhere.
 */
export type Fault = 'lost' | 'store' | 'machine' | 'run';

export function classifyStartFailure(error: unknown): Fault {
  if (error instanceof RunLostError) return 'lost';
  if (isCharretteError(error) ? error.code === 'store-unreachable' : isOfStore(error)) return 'store';
  return chainOf(error).some(isOfMachine) ? 'machine' : 'run';
}

/** A refused system call: a full disk, a folder of another user, too many open files. A missing file is the run's fault. */
function isOfMachine(link: unknown): boolean {
  const code = codeOf(link);
  if (code === 'disk-full' || code === 'permission-denied') return true;
  return typeof code === 'string' && code !== 'ENOENT' && Object.hasOwn(constants.errno, code);
}

function isOfStore(error: unknown): boolean {
  return error instanceof Error && (retriablePostgresException(error) || isSilence(error));
}

/** Connections that this side closed, and locks that others held for too long. */
function isSilence(error: unknown): boolean {
  if (codeOf(error) === 'EPIPE' || codeOf(error) === '55P03') return true;
  return (
    error instanceof Error && /connection (was |is )?(closed|terminated)|not queryable/i.test(error.message)
  );
}

function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (
    let link = error;
    link !== undefined && chain.length < 10;
    link = link instanceof Error ? link.cause : undefined
  )
    chain.push(link);
  return chain;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** A clone that this process serves, with what it needs to work there. */
export type ServedPlace = Place & { home: Home; roster: readonly AgentSettings[] };

export async function openPlace(project: string, world: World, configFile?: string): Promise<ServedPlace> {
  const home = homeOf(realpathSync(project));
  await prepareHome(home);
  const { config } = await loadConfig({ project: home.project, env: world.environment, file: configFile });
  const declared = rosterOf(config, world);
  // Always included, declared or not.
  const roster = declared.some(({ id }) => id === 'static')
    ? declared
    : [...declared, ...rosterOf(config, world, ['static'])];
  return {
    repository: await repositoryIdentity(home.project),
    clone: cloneAt(home.project),
    head: await headOf(home.project),
    agents: roster.map(({ id }) => id),
    home,
    roster,
  };
}

/** The same place with the commit that is checked out now. */
export async function refreshPlace(place: ServedPlace): Promise<ServedPlace> {
  return { ...place, head: await headOf(place.home.project) };
}

/** What other processes may know of a place. */
export function publicPlace({ repository, clone, head, agents }: ServedPlace): Place {
  return { repository, clone, head, agents };
}

async function headOf(project: string): Promise<string | undefined> {
  const { code, stdout } = await runGit(project, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  return code === 0 ? stdout.trim() : undefined;
}
