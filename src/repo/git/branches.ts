import { lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinTruncated, slugify } from '../../base/text/strings.ts';
import { writeCommit } from './checkout.ts';
import {
  commitOf,
  currentBranch,
  hasBranch,
  isAncestor,
  isBranchName,
  operationUnderWay,
  topLevel,
} from './repository-facts.ts';
import { type GitResult, gitOutput, reasonOf, runGit, splitNul, untilDone } from './run-git.ts';
import { probeTree } from './tree-probe.ts';

/** L-106: the input of the gate. It asks no one. */
type GateInput =
  | ({ mode: 'design'; branchInfoSupplied: boolean } & GateFacts)
  | ({ mode: 'implement' } & GateFacts);

type GateFacts = { currentBranch: string; isMain: boolean; isUserBranch: boolean; userPrefix: string };

type GateDecision = { entryGate: 'continue' | 'strict'; skipBranchCheck: boolean };

/** L-107, L-111: a person's own branch, or facts a caller vouches for, may start as they are; everything else is strict. */
export function entryGate(input: GateInput): GateDecision {
  const open = input.isUserBranch || (input.mode === 'design' && input.branchInfoSupplied);
  return open
    ? { entryGate: 'continue', skipBranchCheck: true }
    : { entryGate: 'strict', skipBranchCheck: false };
}

/** L-103 */
export type BranchFacts = {
  /** Empty when HEAD is detached. */
  currentBranch: string;
  isMain: boolean;
  isUserBranch: boolean;
  userPrefix: string;
};

/** L-105: the prefix of a person's branches. */
export function userPrefix(userName: string): string {
  const name = userName
    .toLowerCase()
    .replaceAll(' ', '-')
    .replace(/[^a-z0-9-]/g, '')
    // A branch cannot begin with a hyphen.
    .replace(/^-+/, '')
    .slice(0, 20)
    .replace(/-+$/, '');
  return name === '' ? 'dev' : name;
}

/** L-104: facts from a branch name; the empty name of a detached HEAD counts as main. */
export function branchFactsOf(branch: string, prefix: string, mainBranch = 'main'): BranchFacts {
  const isMain = branch === '' || branch === mainBranch;
  return {
    currentBranch: branch,
    isMain,
    isUserBranch: !isMain && branch.startsWith(`${prefix}/`),
    userPrefix: prefix,
  };
}

/** L-103: reads the facts; changes nothing. */
export async function branchFacts(directory: string, mainBranch = 'main'): Promise<BranchFacts> {
  const name = await runGit(directory, ['config', '--get', 'user.name']);
  return branchFactsOf((await currentBranch(directory)) ?? '', userPrefix(name.stdout.trim()), mainBranch);
}

/** The branch work starts from: what the remote calls its head, else `main`, else `master`. */
export async function detectMainBranch(directory: string, remote = 'origin'): Promise<string> {
  const head = await runGit(directory, ['symbolic-ref', '--short', '--quiet', `refs/remotes/${remote}/HEAD`]);
  if (head.code === 0) return head.stdout.trim().slice(remote.length + 1);
  const hasMain = await hasBranch(directory, 'main');
  return !hasMain && (await hasBranch(directory, 'master')) ? 'master' : 'main';
}

/** L-009: the four facts of `--branch-info`; `undefined` when one is missing or no truth value. */
export function parseBranchInfo(value: string): BranchFacts | undefined {
  const pairs = new Map(
    value
      .split(/\s+/)
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
  );
  const flag = (key: string) => ({ true: true, false: false })[pairs.get(key) ?? ''];
  const [isMain, isUserBranch] = [flag('IS_MAIN'), flag('IS_USER_BRANCH')];
  const [prefix, branch] = [pairs.get('USER_PREFIX'), pairs.get('CURRENT_BRANCH')];
  if (isMain === undefined || isUserBranch === undefined || !prefix || branch === undefined) return undefined;
  return { currentBranch: branch, isMain, isUserBranch, userPrefix: prefix };
}

export const incompleteBranchInfo =
  '**⚠ --branch-info is incomplete. Falling back to create-branch.sh --check.**';

/** C-29: where supplied facts differ from the repository; empty when they hold. */
export function branchInfoMismatches(supplied: BranchFacts, actual: BranchFacts): string[] {
  return (Object.keys(actual) as (keyof BranchFacts)[])
    .filter((key) => supplied[key] !== actual[key])
    .map((key) => `${key} is ${JSON.stringify(actual[key])}, not ${JSON.stringify(supplied[key])}`);
}

/** L-151: the whole name stays under 50 characters. */
export const branchNameLimit = 49;

/** L-155: how many names are tried when the first is taken. */
const mostNames = 20;

/** L-151, L-155: `<prefix>/<feature in a few words>`, with a number when the name is taken. */
export function branchName(prefix: string, feature: string, number = 1): string {
  const suffix = number === 1 ? '' : `-${number}`;
  const room = Math.max(1, branchNameLimit - prefix.length - 1 - suffix.length);
  return `${prefix}/${slugify(feature, room, 'feature')}${suffix}`;
}

export type BranchStep =
  | { action: 'create'; warning?: string }
  | { action: 'keep'; branch: string; warning?: string }
  /** C-28: a person decides whether an unrelated branch is left. */
  | { action: 'ask'; branch: string; warning: string };

export type BranchRules = {
  /** L-156: the judgement whether the branch fits the feature; unknown counts as fitting. */
  fits?: boolean;
  interactive: boolean;
  /** Leave an unrelated branch without asking, as the requirement had it. */
  leaveUnrelated?: boolean;
  mainBranch?: string;
};

/** L-151…L-153, C-28: what step 1 does. */
export function decideBranch(
  facts: BranchFacts,
  { fits = true, interactive, leaveUnrelated = false, mainBranch = 'main' }: BranchRules,
): BranchStep {
  if (facts.isMain) return { action: 'create' };
  const { currentBranch: branch, userPrefix: prefix } = facts;
  if (!facts.isUserBranch) {
    return {
      action: 'create',
      warning: `**⚠ Currently on branch '${branch}' which doesn't match the expected '${prefix}/*' pattern. Creating a new branch from ${mainBranch}.**`,
    };
  }
  if (fits) return { action: 'keep', branch };
  const leaving = `**⚠ Current branch '${branch}' may not match the requested feature. Creating a new branch from ${mainBranch}.**`;
  if (leaveUnrelated) return { action: 'create', warning: leaving };
  const staying = `**⚠ Current branch '${branch}' may not match the requested feature.**`;
  return interactive
    ? { action: 'ask', branch, warning: staying }
    : { action: 'keep', branch, warning: staying };
}

export type BranchCreation =
  /** `merge`: the commit that joins the local and the remote main branch, on this branch alone. */
  | { ok: true; branch: string; base: string; merge?: string; warning?: string }
  /** L-154: 1 the name is taken, 2 anything else. */
  | { ok: false; exit: 1 | 2; error: string };

export type CreationSettings = {
  userPrefix: string;
  mainBranch?: string;
  remote?: string;
  fetchPausesMs?: readonly number[];
};

/**
 * L-154: makes exactly this branch, with every commit of the remote's and of the local main branch. No other branch moves: what has to
 * be merged is merged on the new branch, among git's objects, before it is checked out.
 */
export async function createBranch(
  directory: string,
  name: string,
  settings: CreationSettings,
): Promise<BranchCreation> {
  const { userPrefix, mainBranch = 'main', remote = 'origin' } = settings;
  if (!name.startsWith(`${userPrefix}/`))
    return { ok: false, exit: 2, error: `${name} does not start with ${userPrefix}/` };
  if (!(await isBranchName(directory, name)))
    return { ok: false, exit: 2, error: `${name} is not a valid branch name` };
  if (await hasBranch(directory, name)) return { ok: false, exit: 1, error: `${name} exists already` };
  const hasRemote = (await runGit(directory, ['remote', 'get-url', '--', remote])).code === 0;
  if (hasRemote) {
    const fetched = await fetchBranch(directory, remote, mainBranch, settings);
    if (fetched.code !== 0) return { ok: false, exit: 2, error: `git fetch failed: ${reasonOf(fetched)}` };
  }
  const { commit, ...start } = await startOf(directory, name, {
    mainBranch,
    remote: hasRemote ? remote : undefined,
  });
  const words = ['checkout', '--no-overwrite-ignore', '--no-track', '-b', name];
  const made = await runGit(directory, [...words, ...(commit === undefined ? [] : [commit])], untilDone);
  if (made.code !== 0) return { ok: false, exit: 2, error: `git checkout failed: ${reasonOf(made)}` };
  return { ok: true, branch: name, ...start };
}

type Start = { base: string; commit?: string; merge?: string; warning?: string };

/** The commit a new branch starts at; before the first commit there is none. */
async function startOf(
  directory: string,
  name: string,
  { mainBranch, remote }: { mainBranch: string; remote: string | undefined },
): Promise<Start> {
  const local = await commitOf(directory, `refs/heads/${mainBranch}`);
  const upstream = `${remote}/${mainBranch}`;
  const tip = remote === undefined ? undefined : await commitOf(directory, `refs/remotes/${upstream}`);
  if (tip === undefined) return local === undefined ? { base: 'HEAD' } : { base: mainBranch, commit: local };
  if (local === undefined || (await isAncestor(directory, local, tip)))
    return { base: upstream, commit: tip };
  const atLocal = { base: mainBranch, commit: local };
  if (await isAncestor(directory, tip, local)) return atLocal;
  const words = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', local, tip];
  const merged = await runGit(directory, words);
  const [tree = '', ...files] = splitNul(merged.stdout);
  if (merged.code !== 0) {
    const conflict = merged.code === 1 && files.length > 0;
    const why = conflict ? `conflict in ${joinTruncated([...new Set(files)])}` : 'cannot be merged';
    const update = `Run \`git merge ${upstream}\` to update it.`;
    return {
      ...atLocal,
      warning: `${mainBranch} and ${upstream} ${why}; ${name} starts at ${mainBranch}. ${update}`,
    };
  }
  const message = `Merge ${upstream} into ${name}`;
  const merge = await writeCommit(directory, { tree, parents: [local, tip], message });
  return { base: mainBranch, commit: merge, merge };
}

/** L-155: the name a feature's branch would have, if another branch has it already. */
export async function takenName(
  directory: string,
  feature: string,
  { userPrefix }: CreationSettings,
): Promise<string | undefined> {
  const name = branchName(userPrefix, feature);
  const isTaken = (await hasBranch(directory, name)) && (await currentBranch(directory)) !== name;
  return isTaken ? name : undefined;
}

/** L-155: makes a branch for a feature under the first free name; one that a crash left checked out counts as made. */
export async function createFeatureBranch(
  directory: string,
  feature: string,
  settings: CreationSettings,
): Promise<BranchCreation> {
  const current = await currentBranch(directory);
  for (let number = 1; number <= mostNames; number += 1) {
    const name = branchName(settings.userPrefix, feature, number);
    if (name === current) return { ok: true, branch: name, base: settings.mainBranch ?? 'main' };
    const creation = await createBranch(directory, name, settings);
    if (creation.ok || creation.exit !== 1) return creation;
  }
  return { ok: false, exit: 1, error: `${mostNames} names are taken` };
}

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
