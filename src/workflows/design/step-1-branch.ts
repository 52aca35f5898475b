import { thisWorld } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import { isRecord } from '../../base/safe-json.ts';
import type { Config } from '../../base/schema/config.ts';
import { payloads } from '../../council/breadcrumbs.ts';
import { readRunRecordSync, updateRunRecord } from '../../engine/run-record.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import {
  type BranchFacts,
  branchFacts,
  branchInfoMismatches,
  branchName,
  type CreationSettings,
  createFeatureBranch,
  decideBranch,
  detectMainBranch,
  entryGate,
  incompleteBranchInfo,
  type PreflightResult,
  parseBranchInfo,
  preflight,
  preflightMessage,
  renderPreflight,
  takenName,
} from '../../repo/git/branches.ts';
import { switchTo } from '../../repo/git/feature-branch.ts';
import {
  commitOf,
  currentBranch,
  repositoryFacts,
  repositoryNotes,
} from '../../repo/git/repository-facts.ts';
import { runGit } from '../../repo/git/run-git.ts';
import type { Desk } from './desk.ts';
import { readBriefs } from './prepare.ts';
import { type FoundTree, findTree } from './tree.ts';

/** Step 1: a branch for the feature, unless the run stays where it is (L-150…L-157). */
export async function chooseBranch(desk: Desk, commission: Commission): Promise<Commission> {
  const { entry, feature, project } = desk.inputs;
  if (!desk.inputs.branch || entry === undefined) return commission;
  const decision = decideBranch(entry.facts, {
    fits: entry.fits !== false || desk.inputs.unrelatedBranch === 'keep',
    interactive: !desk.inputs.auto,
    leaveUnrelated: desk.inputs.unrelatedBranch === 'leave',
    mainBranch: entry.mainBranch,
  });
  desk.begin('1', decision.action === 'keep' ? payloads.usingBranch(decision.branch) : undefined);
  if (decision.warning !== undefined) desk.warn(decision.warning);
  if (decision.action === 'keep') return commission;
  if (decision.action === 'ask' && (await isKept(desk, decision.branch, entry.mainBranch))) {
    desk.end(payloads.usingBranch(decision.branch));
    return commission;
  }
  const settings: CreationSettings = {
    userPrefix: entry.facts.userPrefix,
    mainBranch: entry.mainBranch,
    ...(entry.remote === undefined ? {} : { remote: entry.remote }),
  };
  const choice = await chooseName(desk, settings);
  if (choice.use === 'none') {
    desk.end('no branch');
    return commission;
  }
  const made = await desk.context.step('make branch', async () => {
    const previous = await previousBranch(desk);
    const creation =
      choice.use === 'existing'
        ? await useBranch(project, choice.branch)
        : { created: true, ...(await createFeatureBranch(project, feature, settings)) };
    if (!creation.ok) return creation;
    const commit = await commitOf(project, 'HEAD');
    const { branch: name, created, merge } = creation;
    await stampRecord(desk, commit, { name, created, previous, ...(merge === undefined ? {} : { merge }) });
    const about = { root: project, task: feature, home: thisWorld().environment['HOME'] };
    const { warnings: _, ...texts } = await readBriefs(about);
    return { ...creation, commit, texts };
  });
  if (!made.ok) {
    desk.warn(`No branch was made (${made.error}); the run stays where it is.`);
    return commission;
  }
  // From here on the run is about this commit and its documents.
  if (made.commit !== undefined) desk.inputs.baseCommit = made.commit;
  Object.assign(desk.inputs, { brief: undefined, ...made.texts });
  if (made.warning !== undefined) desk.warn(made.warning);
  desk.end(made.created ? `created ${made.branch}` : payloads.usingBranch(made.branch));
  return { ...commission, brief: made.texts.brief };
}

type BranchChoice = { use: 'new' | 'none' } | { use: 'existing'; branch: string };

/** L-155: another branch may have the name; on a terminal the user decides, otherwise the new branch gets a number. */
async function chooseName(desk: Desk, settings: CreationSettings): Promise<BranchChoice> {
  const { auto, feature, project } = desk.inputs;
  if (auto) return { use: 'new' };
  const taken = await desk.context.step('find taken branch name', async () => ({
    name: await takenName(project, feature, settings),
  }));
  if (taken.name === undefined) return { use: 'new' };
  const id = 'branch-name';
  const answers = await desk.context.ask([
    {
      id,
      text: `The branch ${taken.name} exists already. Which branch should this design use?`,
      options: [
        { value: 'new', label: `A new one, such as ${branchName(settings.userPrefix, feature, 2)}` },
        { value: 'existing', label: `Use ${taken.name}` },
        { value: 'none', label: 'No branch: stay where you are' },
      ],
      recommended: 'new',
    },
  ]);
  const value = answers.get(id)?.value;
  if (value === 'existing') return { use: 'existing', branch: taken.name };
  return { use: value === 'none' ? 'none' : 'new' };
}

/** Checks an existing branch out unchanged; one that a crash left checked out counts as done. */
async function useBranch(
  project: string,
  name: string,
): Promise<
  | { ok: true; branch: string; created: false; merge?: undefined; warning?: undefined }
  | { ok: false; error: string }
> {
  try {
    if ((await currentBranch(project)) !== name) await switchTo(project, name);
    return { ok: true, branch: name, created: false };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Where the user was when the run started: a branch, or the commit of a detached HEAD. */
async function previousBranch({ inputs: { entry, project, baseCommit } }: Desk): Promise<string> {
  const started = entry?.facts.currentBranch ?? '';
  return started || ((await currentBranch(project)) ?? baseCommit ?? 'HEAD');
}

/** The record names the commit that the plan is checked against, and the branch that the run left the user on. */
async function stampRecord(
  desk: Desk,
  baseCommit: string | undefined,
  made: { name: string; created: boolean; previous: string; merge?: string },
): Promise<void> {
  const { directory } = desk.context.live;
  const { inputs } = readRunRecordSync(directory);
  await updateRunRecord(directory, {
    branch: made,
    ...(baseCommit === undefined ? {} : { baseCommit }),
    ...(isRecord(inputs) && baseCommit !== undefined ? { inputs: { ...inputs, baseCommit } } : {}),
  });
}

/** C-28: leaving a branch moves you, so you decide. */
async function isKept(desk: Desk, branch: string, mainBranch: string): Promise<boolean> {
  const id = 'unrelated-branch';
  const answers = await desk.context.ask([
    {
      id,
      text: `The branch ${branch} seems to be about something else. Stay on it?`,
      options: [
        { value: 'keep', label: 'Stay on it' },
        { value: 'leave', label: `Make a new branch from ${mainBranch}` },
      ],
      recommended: 'keep',
    },
  ]);
  return answers.get(id)?.value !== 'leave';
}

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
