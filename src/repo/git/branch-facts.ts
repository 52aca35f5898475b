import { currentBranch } from './repository-facts.ts';
import { type GitOptions, runGit } from './run-git.ts';

/** L-106: what the gate is told. It asks nobody. */
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
export async function branchFacts(
  directory: string,
  mainBranch = 'main',
  options: GitOptions = {},
): Promise<BranchFacts> {
  const name = await runGit(directory, ['config', '--get', 'user.name'], options);
  return branchFactsOf(
    (await currentBranch(directory, options)) ?? '',
    userPrefix(name.stdout.trim()),
    mainBranch,
  );
}

/** The branch work starts from: what the remote calls its head, else `main`, else `master`. */
export async function detectMainBranch(
  directory: string,
  remote = 'origin',
  options: GitOptions = {},
): Promise<string> {
  const head = await runGit(
    directory,
    ['symbolic-ref', '--short', '--quiet', `refs/remotes/${remote}/HEAD`],
    options,
  );
  if (head.code === 0) return head.stdout.trim().slice(remote.length + 1);
  const has = async (branch: string) =>
    (await runGit(directory, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`], options)).code ===
    0;
  return !(await has('main')) && (await has('master')) ? 'master' : 'main';
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
