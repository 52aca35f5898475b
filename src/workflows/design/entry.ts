import { CharretteError } from '../../base/errors.ts';
import type { Config } from '../../base/schema/config.ts';
import {
  type BranchFacts,
  branchFacts,
  branchInfoMismatches,
  detectMainBranch,
  entryGate,
  incompleteBranchInfo,
  type PreflightResult,
  parseBranchInfo,
  preflight,
  preflightMessage,
  renderPreflight,
} from '../../repo/git/branches.ts';
import { repositoryFacts, repositoryNotes } from '../../repo/git/repository-facts.ts';
import { runGit } from '../../repo/git/run-git.ts';
import { type FoundTree, findTree } from './tree.ts';

/** Words that say nothing about what a branch is for. */
const empty = new Set(
  'the and for with from into that this add adds added fix fixes fixed feat feature chore refactor update updates change changes make makes allow allows let use uses new wip work branch test tests merge main master dev'.split(
    ' ',
  ),
);

/** How much of two words must be the same for them to mean the same: `limit`, `limits` and `limiting` do. */
const sameStem = 4;

/**
 * L-152, L-156: whether a person's branch is about the feature, by its name and its own commits. Only a branch that
 * plainly is about something else does not fit: it has commits and several own words, and shares none with the feature.
 */
export function branchFits(
  branch: { name: string; prefix: string; subjects: readonly string[] },
  feature: string,
): boolean {
  const own = wordsOf([branch.name.slice(branch.prefix.length + 1), ...branch.subjects].join(' '));
  const wanted = wordsOf(feature);
  if (branch.subjects.length === 0 || own.length < 2 || wanted.length === 0) return true;
  return own.some((word) => wanted.some((other) => areAlike(word, other)));
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return words.filter((word) => !empty.has(word));
}

function areAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const length = Math.min(
    one.length,
    other.length,
    Math.max(sameStem, Math.min(one.length, other.length) - 2),
  );
  return length >= sameStem && one.slice(0, length) === other.slice(0, length);
}

/** The repository as a design run finds it. */
export type Entry = FoundTree & {
  baseCommit: string;
  mainBranch: string;
  remote?: string;
  facts: BranchFacts;
  /** L-156: whether the user's branch is about the feature; unknown counts as yes. */
  fits?: boolean;
  warnings: string[];
};

/** Files of ours never make a tree dirty, neither at the root nor in the package that is the project. */
const ownPaths = ['top,exclude', 'exclude'].flatMap((where) => [
  `:(${where}).charrette`,
  `:(${where})charrette.config.*`,
]);

export type EntryOptions = {
  feature: string;
  branch: boolean;
  branchInfo?: string;
  trustBranchInfo?: boolean;
  /** Only look. */
  rehearse?: boolean;
  git?: Config['git'];
};

/**
 * L-100…L-118: whether a design may start here. Only fetches, and only for a run with a branch. `branch: false` accepts any
 * tree.
 */
export async function enterRepository(project: string, options: EntryOptions): Promise<Entry> {
  const repository = await repositoryFacts(project);
  if (repository.head === undefined) {
    throw new CharretteError({
      code: 'no-commits',
      message: `The repository ${repository.root} has no commit yet; a plan is stamped with the commit it was made on.`,
      fix: 'Commit once, then run the command again.',
    });
  }
  const { remote = 'origin', remoteRequired = false } = options.git ?? {};
  const mainBranch = options.git?.mainBranch ?? (await detectMainBranch(project, remote));
  const actual = await branchFacts(project, mainBranch);
  const { facts, supplied, warnings } = suppliedFacts(actual, options);
  warnings.push(...repositoryNotes(repository));
  if (options.branch) {
    const gate = entryGate({ mode: 'design', branchInfoSupplied: supplied, ...facts });
    const result = await preflight(project, {
      skipBranchCheck: gate.skipBranchCheck,
      mainBranch,
      remote,
      remoteRequired,
      rehearse: options.rehearse === true,
      ignore: ownPaths,
    });
    if (!result.ok) throw refused(result, facts.userPrefix, mainBranch);
    warnings.push(...result.notes);
  }
  return {
    baseCommit: repository.head,
    mainBranch,
    remote,
    facts,
    fits: await isFitting(project, facts, mainBranch, options.feature),
    ...(await findTree(project)),
    warnings,
  };
}

/** L-152: the name and the own commits of a person's branch against the feature. */
async function isFitting(
  project: string,
  facts: BranchFacts,
  mainBranch: string,
  feature: string,
): Promise<boolean> {
  if (!facts.isUserBranch) return true;
  const range = ['--end-of-options', `${mainBranch}..HEAD`];
  const log = await runGit(project, ['log', '--no-merges', '--max-count=50', '--format=%s', ...range]);
  const subjects = log.code === 0 ? log.stdout.split('\n').filter((line) => line !== '') : [];
  return branchFits({ name: facts.currentBranch, prefix: facts.userPrefix, subjects }, feature);
}

/** L-009, L-010, C-29: what a caller says about the branch counts when it is complete and agrees with git, or is trusted. */
function suppliedFacts(
  actual: BranchFacts,
  { branchInfo, trustBranchInfo = false }: { branchInfo?: string; trustBranchInfo?: boolean },
): { facts: BranchFacts; supplied: boolean; warnings: string[] } {
  if (branchInfo === undefined) return { facts: actual, supplied: false, warnings: [] };
  const said = parseBranchInfo(branchInfo);
  if (said === undefined) {
    return {
      facts: actual,
      supplied: false,
      warnings: [incompleteBranchInfo],
    };
  }
  // A caller may have its own way to make a prefix; what counts is the state of the repository.
  const wrong = branchInfoMismatches({ ...said, userPrefix: actual.userPrefix }, actual);
  if (trustBranchInfo || wrong.length === 0) return { facts: said, supplied: true, warnings: [] };
  return {
    facts: actual,
    supplied: false,
    warnings: [`**⚠ --branch-info does not hold: ${wrong.join('; ')}. Git counts.**`],
  };
}

/** L-118 lists all remedies; which of them helps depends on what preflight found. */
const helps: Record<Extract<PreflightResult, { ok: false }>['exit'], string> = {
  1: 'Here (a) or (b) helps; --no-branch stays on this branch and accepts this tree.',
  2: 'Here (c) helps; --no-branch accepts this tree, changes included.',
  3: 'Fix the git error above; --no-branch does not fetch.',
};

function refused(
  result: Extract<PreflightResult, { ok: false }>,
  userPrefix: string,
  mainBranch: string,
): CharretteError {
  const lines = renderPreflight(result);
  const raw = lines.split('\n').find((line) => line.startsWith('PREFLIGHT_ERROR=')) ?? lines;
  return new CharretteError({
    code: result.exit === 2 ? 'dirty-tree' : 'preflight-failed',
    message: `${raw}\n${preflightMessage(userPrefix, mainBranch)}`,
    fix: result.fix ?? helps[result.exit],
  });
}
