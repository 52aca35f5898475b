import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Home, homeOf, listRunIds, type RunDirectory, runDirectoryOf } from '../engine/run-directory.ts';
import { CharretteError } from '../errors.ts';

/** The project a command works for: the nearest folder upward that has runs or a repository, else the folder itself. */
export function findProject(cwd: string): string {
  if (!existsSync(cwd)) {
    throw new CharretteError({ code: 'not-found', message: `The directory ${cwd} does not exist.` });
  }
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.charrette')) || existsSync(path.join(folder, '.git'))) return folder;
    if (path.dirname(folder) === folder) return cwd;
  }
}

export function findHome(cwd: string): Home {
  return homeOf(findProject(cwd));
}

/** A run by its id, by an unambiguous part of it, or `latest`. */
export async function findRun(home: Home, name: string | undefined): Promise<RunDirectory> {
  const ids = await listRunIds(home);
  if (name === undefined || name === 'latest') {
    // One without a record is what a kill left of the making of a run.
    const known = new Set(ids);
    const latest = ids.findLast(
      (id) => !isStartedByAnother(id, known) && existsSync(runDirectoryOf(home, id).record),
    );
    if (latest === undefined) {
      throw new CharretteError({
        code: 'run-not-found',
        message: `There are no runs in ${home.runs}.`,
        fix: 'Start one with `charrette design "…"`.',
      });
    }
    return runDirectoryOf(home, latest);
  }
  const found = ids.includes(name) ? [name] : ids.filter((id) => id.includes(name));
  // A comparison and its designs share a name; the part of it that all have means the comparison.
  const among = new Set(found);
  const matches = found.filter((id) => !isStartedByAnother(id, among));
  const [match, another] = matches;
  if (match !== undefined && another === undefined) return runDirectoryOf(home, match);
  throw new CharretteError({
    code: 'run-not-found',
    message:
      matches.length === 0
        ? `No run matches ${JSON.stringify(name)}; there are ${ids.length}${ids.length === 0 ? '' : `, the latest is ${ids.at(-1)}`}.`
        : `${JSON.stringify(name)} matches ${matches.length} runs: ${matches.slice(0, 5).join(', ')}.`,
    fix: 'Run `charrette runs` for the list.',
  });
}

/** Runs that a run starts are named after it. */
function isStartedByAnother(id: string, ids: ReadonlySet<string>): boolean {
  for (let dash = id.indexOf('-'); dash >= 0; dash = id.indexOf('-', dash + 1))
    if (ids.has(id.slice(0, dash))) return true;
  return false;
}
