import { realpathSync } from 'node:fs';
import type { AgentSettings, World } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { cloneAt, type Place } from '../../engine/queue/place.ts';
import { type Home, homeOf, prepareHome } from '../../engine/run-directory.ts';
import { repositoryIdentity } from '../../repo/git/repository-facts.ts';
import { runGit } from '../../repo/git/run-git.ts';
import { rosterOf } from '../../workflows/roster.ts';

/** A clone that this process serves, with what it needs to work there. */
export type ServedPlace = Place & { home: Home; roster: readonly AgentSettings[] };

export async function openPlace(project: string, world: World, configFile?: string): Promise<ServedPlace> {
  const home = homeOf(realpathSync(project));
  await prepareHome(home);
  const { config } = await loadConfig({ project: home.project, env: world.environment, file: configFile });
  const declared = rosterOf(config, world);
  // Always there, whether or not somebody declares it.
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
