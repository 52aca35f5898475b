import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { isInside, mayRemove } from '../base/files/bounded.ts';
import { heldElsewhere } from '../engine/engine-errors.ts';
import { isLive, lockOnOtherHost } from '../engine/lock.ts';
import {
  type Home,
  listRunIds,
  markWaiting,
  parentsOf,
  type RunDirectory,
  runDirectoryOf,
} from '../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync } from '../engine/run-record.ts';
import { isContained, runBranches } from '../repo/git/run-branch.ts';
import { runGit } from '../repo/git/run-git.ts';
import { listWorktrees, removeWorktree } from '../repo/git/worktrees.ts';
import { findRun, type Project } from './project.ts';

/** The checkouts that a run has left: work that was not merged, or that is in progress. */
export async function worktreesOf(directory: RunDirectory): Promise<string[]> {
  const folder = path.join(directory.root, 'worktrees');
  // Also one that lost its `.git`: its work exists nowhere else.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name))
    .sort();
}

/** `in-use`: a worktree has the branch checked out. */
type RemovedWork = { worktrees: number; branch: 'none' | 'deleted' | 'kept' | 'in-use' };

/** `force`: also branches whose work is on no other branch. */
type RemoveOptions = { force: boolean; dryRun: boolean };

/** `design`: the branch that a design made and that has not been used since. */
export type Removed = { id: string; design?: string | undefined } & RemovedWork;

/**
 * Returns a function that removes the checkouts of a run, and its branch unless it has work that is on no other branch. Git lists
 * the branches once: most runs have none.
 */
export async function workRemover(
  project: string,
  { force, dryRun }: RemoveOptions,
): Promise<(directory: RunDirectory) => Promise<RemovedWork>> {
  const branches = await runBranches(project);
  return async (directory) => {
    if (branches === undefined) return { worktrees: 0, branch: 'none' };
    const places = await worktreesOf(directory);
    const branch = `charrette/${directory.id}`;
    const tip = branches.get(branch);
    if (!dryRun) for (const place of places) await removeWorktree(project, place);
    const state = tip === undefined ? 'none' : await branchState(project, branch, directory, force);
    if (state !== 'deleted' || dryRun) return { worktrees: places.length, branch: state };
    // Unlike `update-ref` it refuses a branch that is checked out, also in a rebase.
    const deleted = await runGit(project, ['branch', '--quiet', '-D', '--', branch]);
    return { worktrees: places.length, branch: deleted.code === 0 ? 'deleted' : 'in-use' };
  };
}

/** Whether a branch may be deleted; checkouts of the run itself are deleted with it. */
async function branchState(
  project: string,
  branch: string,
  directory: RunDirectory,
  force: boolean,
): Promise<'deleted' | 'kept' | 'in-use'> {
  const used = (await listWorktrees(project)).some(
    (worktree) => worktree.branch === branch && !isInside(directory.root, worktree.path),
  );
  if (used) return 'in-use';
  return force || (await isContained(project, branch)) ? 'deleted' : 'kept';
}

/** The branch that a design made, if no commit on it is the user's own and it is checked out nowhere. */
async function spareBranch(
  project: string,
  record: Pick<RunRecord, 'branch'> | undefined,
): Promise<string | undefined> {
  const { name = '', created = false, merge } = record?.branch ?? {};
  if (!created || (await runGit(project, ['check-ref-format', '--branch', name])).code !== 0)
    return undefined;
  if ((await listWorktrees(project)).some((worktree) => worktree.branch === name)) return undefined;
  const others = [`--exclude=refs/heads/${name}`, '--exclude=refs/remotes/*/HEAD', '--all'];
  const own = await runGit(project, ['rev-list', '--max-count=2', `refs/heads/${name}`, '--not', ...others]);
  if (own.code !== 0) return undefined;
  const commits = own.stdout.split('\n').filter((line) => line !== '');
  return commits.every((commit) => commit === merge) ? name : undefined;
}

/** Deletes branches and returns those that git deleted. */
export async function deleteBranches(project: string, names: readonly string[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const name of names)
    if ((await runGit(project, ['branch', '--quiet', '-D', '--', name])).code === 0) deleted.push(name);
  return deleted;
}

/** Removes runs by id or part of it, with everything they wrote. A run that waits in a queue is taken out of it first. */
export async function removeRuns(
  project: Project,
  names: readonly string[],
  options: RemoveOptions,
): Promise<Removed[]> {
  const removeRun = await runRemover(project, options);
  const removed: Removed[] = [];
  for (const name of names) {
    const { id } = await findRun(project, name);
    refuseNeeded(project, id);
    const { queue, status } = recordOf(project, id) ?? {};
    const isQueued = queue !== undefined && status !== undefined && !isFinal(status);
    // Not loaded where nothing is queued.
    const isFree = isQueued && (await (await import('./queue.ts')).leaveQueue(project, id, options.dryRun));
    removed.push(await removeRun(id, isFree));
  }
  return removed;
}

/** Removes ended runs that are older than `olderThan` days and not among the newest `keep`. */
export async function pruneRuns(
  project: Project,
  { olderThan, keep = 0 }: { olderThan?: number | undefined; keep?: number | undefined },
  options: RemoveOptions,
): Promise<Removed[]> {
  const limit = olderThan === undefined ? Number.POSITIVE_INFINITY : Date.now() - olderThan * 86_400_000;
  const old = (await endedRuns(project)).slice(keep).filter((run) => Date.parse(run.created) < limit);
  const removeRun = await runRemover(project, options);
  const removed: Removed[] = [];
  for (const { run } of old) removed.push(await removeRun(run));
  return removed;
}

/** The records of all ended runs that no other run needs, newest first; a run that cannot be read may not have ended. */
async function endedRuns(home: Home): Promise<RunRecord[]> {
  const ids = await listRunIds(home);
  const existing = new Set(ids);
  return ids.reverse().flatMap((id) => {
    const record = recordOf(home, id);
    if (record === undefined || !isFinal(record.status)) return [];
    return openParentOf(home, id, (parent) => existing.has(parent)) === undefined
      ? [{ ...record, run: id }]
      : [];
  });
}

/** A comparison that has not ended reads the designs that it started. */
function refuseNeeded(home: Home, id: string): void {
  const parent = openParentOf(home, id, (candidate) => existsSync(path.join(home.runs, candidate)));
  if (parent === undefined) return;
  throw new CharretteError({
    code: 'usage',
    message: `The run ${parent} started ${id} and has not ended.`,
    fix: `Let it end, or cancel it first: \`charrette cancel ${parent}\`.`,
  });
}

/** The run that started this one, if there is one and it has not ended. */
function openParentOf(home: Home, id: string, isRun: (id: string) => boolean): string | undefined {
  return parentsOf(id).find((parent) => {
    if (!isRun(parent)) return false;
    const record = recordOf(home, parent);
    return record === undefined || !isFinal(record.status);
  });
}

function recordOf(home: Home, id: string): RunRecord | undefined {
  try {
    return readRunRecordSync(runDirectoryOf(home, id));
  } catch {
    return undefined;
  }
}

function refuseLive(record: RunRecord, directory: RunDirectory): void {
  const hold = lockOnOtherHost(record, directory);
  if (hold !== undefined) throw heldElsewhere(directory.id, hold.holder, hold.file);
  if (!isLive(record, directory)) return;
  throw new CharretteError({
    code: 'usage',
    message: `The run ${directory.id} is running in process ${record.process?.pid}.`,
    fix: `Cancel it first: \`charrette cancel ${directory.id}\`.`,
  });
}

/** Removes a run with its checkouts and its branch; a branch with work that is on no other branch stays and is reported. */
async function runRemover(
  home: Home,
  options: RemoveOptions,
): Promise<(id: string, isFree?: boolean) => Promise<Removed>> {
  const removeWork = await workRemover(home.project, options);
  return async (id, isFree = false) => {
    const directory = runDirectoryOf(home, id);
    const record = recordOf(home, id);
    if (record !== undefined) refuseLive(isFree ? { ...record, queue: undefined } : record, directory);
    // F-29: whatever a name was taken for, only a run of this project is removed.
    if (!mayRemove(directory.root, [home.runs])) {
      throw new CharretteError({
        code: 'path-unsafe',
        message: `${directory.root} is not a run of this project.`,
      });
    }
    const design = await spareBranch(home.project, record);
    const work = await removeWork(directory);
    if (!options.dryRun) {
      await rm(directory.root, { recursive: true, force: true });
      markWaiting(directory, false);
    }
    return { id, ...work, design };
  };
}
