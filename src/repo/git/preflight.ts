import { lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinTruncated } from '../../base/text/strings.ts';
import { currentBranch, operationUnderWay, topLevel } from './repository-facts.ts';
import { type GitResult, gitOutput, reasonOf, runGit, splitNul } from './run-git.ts';
import { probeTree } from './tree-probe.ts';

const pathsPerCall = 200;

/**
 * Files of the working tree that git would overwrite without a word when it moves from HEAD to a commit: those that it does not track
 * and ignores. They are in no commit, so they cannot be recovered.
 */
async function overwrittenBy(directory: string, commit: string): Promise<string[]> {
  const words = ['diff', '--no-relative', '--name-only', '--no-renames', '--diff-filter=A', '-z'];
  const added = await runGit(directory, [...words, '--end-of-options', 'HEAD', commit]);
  // For a missing commit git reports the error itself.
  const names = added.code === 0 ? splitNul(added.stdout) : [];
  if (names.length === 0) return [];
  const root = await topLevel(directory);
  const taken = [...new Set(names.flatMap((name) => placeTaken(root, name) ?? []))];
  const overwritten: string[] = [];
  for (let start = 0; start < taken.length; start += pathsPerCall) {
    const some = taken.slice(start, start + pathsPerCall);
    const untracked = ['--literal-pathspecs', 'ls-files', '--others', '-z', '--', ...some];
    overwritten.push(...splitNul(await gitOutput(root, untracked)));
  }
  return overwritten;
}

/** What occupies the place of a new file: an entry of its name, or a non-folder on its path. */
function placeTaken(root: string, name: string): string | undefined {
  const parts = name.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const place = parts.slice(0, depth).join('/');
    const facts = factsOf(path.join(root, place));
    if (facts === undefined) return undefined;
    if (depth === parts.length || !facts.isDirectory()) return place;
  }
  return undefined;
}

function factsOf(place: string): Stats | undefined {
  return lstatSync(place, { throwIfNoEntry: false });
}

export type PreflightResult =
  | { ok: true; notes: string[] }
  /** L-116: 1 not on main, 2 not clean, 3 fetch, files in the way or wrong use. */
  | { ok: false; exit: 1 | 2 | 3; error: string; fix?: string };

type PreflightSettings = {
  skipBranchCheck: boolean;
  mainBranch?: string;
  /** Pathspecs of files that do not make a tree dirty. */
  ignore?: readonly string[];
  remote?: string;
  /** Fail when the remote is missing, instead of adding a note. */
  remoteRequired?: boolean;
  /** Only look: nothing is fetched. */
  rehearse?: boolean;
  /** Pauses between attempts to fetch. */
  fetchPausesMs?: readonly number[];
};

/** L-116, L-117: requires a clean and fetched tree, on main or on the user's branch. No branch moves; a new one is updated when it is created. */
export async function preflight(directory: string, settings: PreflightSettings): Promise<PreflightResult> {
  const {
    skipBranchCheck,
    mainBranch = 'main',
    remote = 'origin',
    remoteRequired = false,
    rehearse = false,
    ignore = [],
  } = settings;
  // A branch that is made now would have git forget it, also where every file is as HEAD has it.
  const operation = await operationUnderWay(directory);
  if (operation !== undefined) {
    const fix = `Finish it with \`git ${operation} --continue\`, or undo it with \`git ${operation} --abort\`; --no-branch keeps the tree unchanged.`;
    return { ...fail(2, `git ${operation} is in progress`), fix };
  }
  const branch = await currentBranch(directory);
  if (!skipBranchCheck && branch !== mainBranch) {
    return fail(1, `not on ${mainBranch}: ${branch === undefined ? 'HEAD is detached' : `on ${branch}`}`);
  }
  const tree = await probeTree(directory, { mode: 'checkpoint', ignore });
  // F-31: no verdict counts as dirty.
  if (tree.status !== 'clean') {
    const paths = [...tree.tracked, ...tree.newUntracked];
    const shown = paths.slice(0, 5).join(', ');
    return fail(
      2,
      tree.status === 'dirty'
        ? `the tree is not clean (${paths.length} ${paths.length === 1 ? 'path' : 'paths'}: ${shown})`
        : `the state of the tree is unknown (${tree.reason})`,
    );
  }
  const hasRemote = (await runGit(directory, ['remote', 'get-url', '--', remote])).code === 0;
  if (!hasRemote && !remoteRequired)
    return { ok: true, notes: [`The remote ${remote} does not exist; nothing was fetched.`] };
  if (hasRemote && rehearse) return { ok: true, notes: [] };
  const fetched = await fetchBranch(directory, remote, mainBranch, settings);
  if (fetched.code !== 0) return fail(3, `git fetch ${remote} ${mainBranch} failed: ${reasonOf(fetched)}`);
  if (skipBranchCheck) return { ok: true, notes: [] };
  const onto = `${remote}/${mainBranch}`;
  const lost = await overwrittenBy(directory, onto);
  if (lost.length > 0)
    return fail(3, `a branch at ${onto} would overwrite files that git ignores: ${joinTruncated(lost)}`);
  return { ok: true, notes: [] };
}

/**
 * Fetches one branch, again after each pause when the network seems to be the cause. It names where the commit goes: a fetch rule of the
 * repository may write to local branches.
 */
export async function fetchBranch(
  directory: string,
  remote: string,
  branch: string,
  { fetchPausesMs = [1000, 4000] }: Pick<PreflightSettings, 'fetchPausesMs'> = {},
): Promise<GitResult> {
  const rule = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`;
  const attempt = () =>
    runGit(directory, ['fetch', '--no-tags', '--refmap=', '--', remote, rule], {
      timeoutMs: 120_000,
    });
  let result = await attempt();
  for (const pause of fetchPausesMs) {
    if (result.code === 0 || !isTransient(result)) break;
    await sleep(pause);
    result = await attempt();
  }
  return result;
}

/** L-116: `PREFLIGHT=ok`, or `PREFLIGHT=fail` with the reason on the next line. */
export function renderPreflight(result: PreflightResult): string {
  return result.ok
    ? 'PREFLIGHT=ok\n'
    : `PREFLIGHT=fail\nPREFLIGHT_ERROR=${result.error.replace(/\s+/g, ' ')}\n`;
}

/** L-118: the three remedies. */
export function preflightMessage(userPrefix: string, mainBranch = 'main'): string {
  return [
    `A design starts on a clean ${mainBranch}, or on a clean branch of your own. Do one of these, then run the command again:`,
    `  (a) go to a clean ${mainBranch}: git switch ${mainBranch}`,
    `  (b) stay on these commits, on a clean branch whose name begins with ${userPrefix}/: git switch -c ${userPrefix}/my-feature`,
    '  (c) commit or stash uncommitted changes first: git add -A && git commit, or git stash -u',
  ].join('\n');
}

function isTransient({ stderr, problem }: GitResult): boolean {
  return /could not resolve host|timed? ?out|connection (?:reset|refused|closed)|early eof|temporar|50[0234]\b|the remote end hung up/i.test(
    `${stderr} ${problem ?? ''}`,
  );
}

function fail(exit: 1 | 2 | 3, error: string): PreflightResult & { ok: false } {
  return { ok: false, exit, error };
}
