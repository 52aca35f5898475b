import { hostname } from 'node:os';
import type { QueuedRun } from './queued-run.ts';

/** A clone that a worker serves, and what can be done there. */
export type Place = {
  repository: string;
  clone: string;
  /** The commit that is checked out. */
  head?: string | undefined;
  agents: readonly string[];
};

/** A clone is known by where it is: on which host, in which folder. */
export function cloneAt(project: string): string {
  return `${hostname()}:${project}`;
}

type Wanted = Pick<QueuedRun, 'repository' | 'clone' | 'travels' | 'baseCommit' | 'agents'>;

/** What keeps a run from a place; nothing when it can be done there. */
export function obstacle(run: Wanted, place: Place): string | undefined {
  if (run.clone !== place.clone) {
    if (run.repository !== place.repository) return `it is about ${run.repository}`;
    if (!run.travels) return `its work stays in the clone ${run.clone}`;
    if (run.baseCommit !== place.head)
      return `it is about commit ${short(run.baseCommit)}, and ${place.clone} is at ${short(place.head)}`;
  }
  const missing = run.agents.filter((agent) => !place.agents.includes(agent));
  return missing.length === 0
    ? undefined
    : `the agents ${missing.join(', ')} are not declared in ${place.clone}`;
}

/** The place for a run, its own clone first. */
export function placeFor<Candidate extends Place>(
  run: Wanted,
  places: readonly Candidate[],
): Candidate | undefined {
  const fitting = places.filter((place) => obstacle(run, place) === undefined);
  return fitting.find((place) => place.clone === run.clone) ?? fitting[0];
}

function short(commit: string | undefined): string {
  return commit === undefined ? 'none' : commit.slice(0, 12);
}
