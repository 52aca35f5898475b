import { lstatSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { containedPath } from '../../base/files/bounded.ts';
import { commitOf } from './repository-facts.ts';
import { type GitOptions, gitLine, gitOutput, runGit, splitNul, untilDone } from './run-git.ts';
import { addWorktree } from './worktrees.ts';

/** Git in a run's checkout runs no hooks of the repository and enters no submodule. */
const quietly = ['-c', 'core.hooksPath=/dev/null', '-c', 'submodule.recurse=false'];

type Trusted = {
  /** Where the repository keeps what it knows of the checkout. */
  record: string;
  git: (args: readonly string[], input?: string) => Promise<string>;
};

/**
 * Git in a checkout of a run, after checking that it still is one. Checkouts lie inside the user's repository and agents write in
 * them: without its `.git` file git would find the user's tree, with another one it would obey an agent's configuration.
 */
export async function trustCheckout(root: string, checkout: string): Promise<Trusted> {
  const bounded = { ...untilDone, ceiling: path.dirname(path.resolve(checkout)) };
  const record = await recordOf(root, checkout, bounded);
  if (record === undefined)
    throw unusable(
      checkout,
      'its .git is not the one that git made for this repository (another process changed it, or the project was copied or renamed since)',
    );
  return {
    record,
    git: (args, input) =>
      gitOutput(checkout, [...quietly, ...args], input === undefined ? bounded : { ...bounded, input }),
  };
}

/** `undefined` unless checkout and repository name each other, and git says so too. */
async function recordOf(root: string, checkout: string, bounded: GitOptions): Promise<string | undefined> {
  const common = await realpath(
    await gitLine(root, ['rev-parse', '--path-format=absolute', '--git-common-dir'], bounded),
  );
  try {
    const top = path.join(await realpath(path.dirname(checkout)), path.basename(checkout));
    const file = path.join(top, '.git');
    const facts = await lstat(file);
    if (!facts.isFile() || facts.size > maxPointerBytes) return undefined;
    const [, target] = /^gitdir: (.+)\n?$/.exec(await readFile(file, 'utf8')) ?? [];
    if (target === undefined) return undefined;
    const record = await realpath(path.resolve(top, target));
    if (path.dirname(record) !== (await realpath(path.join(common, 'worktrees')))) return undefined;
    const back = path.resolve(record, line(await readFile(path.join(record, 'gitdir'), 'utf8')));
    if (path.join(await realpath(path.dirname(back)), path.basename(back)) !== file) return undefined;
    const words = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir'];
    const said = await runGit(top, words, bounded);
    return said.code === 0 && said.stdout === `${top}\n${common}\n` ? record : undefined;
  } catch {
    // Whatever is missing or cannot be read: it is not what git made.
    return undefined;
  }
}

const maxPointerBytes = 8192;

/** Opens a checkout of a commit; an existing one is not changed, with all work in it. */
export async function openCheckout(root: string, target: string, commit: string): Promise<void> {
  const there = await namesIn(target);
  try {
    if (there.length > 0) return void (await trustCheckout(root, target));
  } catch (error) {
    // Unless it is only what a `git worktree add` left that was killed.
    if (there.some((name) => name !== '.git')) throw error;
    await rm(target, { recursive: true, force: true });
  }
  await addWorktree(root, target, commit);
}

/** Moves a checkout to a commit and removes everything that git does not ignore. No branch moves, whatever an agent checked out. */
export async function moveCheckout(root: string, checkout: string, commit: string): Promise<void> {
  const { git } = await trustCheckout(root, checkout);
  await git(['update-ref', '--no-deref', 'HEAD', commit]);
  await git(['reset', '--quiet', '--hard']);
  await git(['clean', '--quiet', '-d', '--force', '--force']);
  for (const { name } of (await entriesIn(git)).filter(isSubmodule)) {
    const folder = await containedPath(checkout, name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  }
}

/** Commits everything done since `start`; `undefined` when nothing was. Files that git cannot take are an error and stay. */
export async function commitAll(
  root: string,
  checkout: string,
  start: string,
  message: string,
): Promise<{ commit: string; files: string[] } | undefined> {
  const { git } = await trustCheckout(root, checkout);
  const entries = await entriesIn(git);
  // Before `git add`, which would run git inside them.
  for (const { name } of entries.filter(isSubmodule))
    if ((await namesIn(path.join(checkout, name))).length > 0)
      throw unusable(checkout, `there are files in the submodule ${name}, which a commit here cannot hold`);
  const unmerged = await conflictsLeft(checkout, entries);
  if (unmerged.length > 0) throw unusable(checkout, `a merge was left half-done in ${unmerged.join(', ')}`);
  await seeAgain(git, checkout, entries);
  await git(['add', '--all', '--sparse']);
  const changes = changesIn(
    await git(['diff', '--cached', '--raw', '--no-renames', '--ignore-submodules=none', '-z', start]),
  );
  const nested = changes.filter(({ before, after }) => after === gitlink && before !== gitlink);
  if (nested.length > 0) {
    const names = nested.map(({ name }) => name).join(', ');
    throw unusable(checkout, `${names} is a separate git repository; a commit here cannot hold its files`);
  }
  if (changes.length === 0) return undefined;
  const tree = line(await git(['write-tree']));
  const commit = await writeCommit(root, { tree, parents: [start], message });
  await git(['update-ref', '--no-deref', 'HEAD', commit]);
  return { commit, files: changes.map(({ name }) => name).sort() };
}

/** Writes a commit from its parts: without hooks, signature or an unfinished merge. */
export async function writeCommit(
  root: string,
  { tree, parents, message }: { tree: string; parents: readonly string[]; message: string },
  options: GitOptions = {},
): Promise<string> {
  const text = await gitOutput(root, ['stripspace'], { ...options, input: message });
  const who = await identity(root);
  const words = [...who, 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
  return gitLine(root, words, { ...options, input: text });
}

/** Ignored files and folders in a checkout; they are lost when it is removed. */
export async function ignoredIn(root: string, checkout: string): Promise<string[]> {
  const { git } = await trustCheckout(root, checkout);
  const words = ['ls-files', '--others', '--ignored', '--exclude-standard'];
  return splitNul(await git([...words, '--directory', '--no-empty-directory', '-z']));
}

/** Saves the work done in a checkout since `start` under a reference, so that moving the checkout cannot lose it. */
export async function keepWork(
  root: string,
  checkout: string,
  start: string,
  reference: string,
): Promise<void> {
  const work = await commitAll(root, checkout, start, 'Work that has not landed yet\n');
  if (work !== undefined) await gitOutput(root, ['update-ref', reference, work.commit]);
}

/** Restores saved work into a checkout; without any it does not change. */
export async function restoreWork(root: string, checkout: string, reference: string): Promise<void> {
  const kept = await commitOf(root, reference);
  if (kept !== undefined) await moveCheckout(root, checkout, kept);
}

/** The user's name where git knows one; names in the environment win over both. */
async function identity(root: string): Promise<string[]> {
  const email = await runGit(root, ['config', 'user.email']);
  return email.code === 0 && email.stdout.trim() !== ''
    ? []
    : ['-c', 'user.name=Charrette', '-c', 'user.email=charrette@localhost'];
}

const gitlink = '160000';

/** `tag`: what git does with the file, as `git ls-files -v` has it; `stage`: 0 unless it is in conflict. */
type Entry = { tag: string; mode: string; stage: string; name: string };

async function entriesIn(git: Trusted['git']): Promise<Entry[]> {
  return splitNul(await git(['ls-files', '-v', '--stage', '-z'])).flatMap((line) => {
    const [, tag = '', mode = '', stage = '', name = ''] =
      /^(.) (\d+) [0-9a-f]+ (\d)\t(.*)$/s.exec(line) ?? [];
    return name === '' ? [] : [{ tag, mode, stage, name }];
  });
}

const isSubmodule = ({ mode }: Entry) => mode === gitlink;

/** Files in conflict that still hold both sides: `git add` would take them as resolved. */
async function conflictsLeft(checkout: string, entries: readonly Entry[]): Promise<string[]> {
  const names = new Set(entries.filter(({ stage }) => stage !== '0').map(({ name }) => name));
  const held = await Promise.all(
    [...names].map(async (name) => {
      // Whatever an agent put in the way of it, there is nothing left of the conflict then.
      const text = await containedPath(checkout, name)
        .then((file) => readFile(file, 'latin1'))
        .catch(() => '');
      return /^<{7} /m.test(text) && /^>{7} /m.test(text) ? [name] : [];
    }),
  );
  return held.flat();
}

/** Includes files that an agent told git to overlook; what is not checked out stays so. */
async function seeAgain(git: Trusted['git'], checkout: string, entries: readonly Entry[]): Promise<void> {
  const assumed = entries.filter(({ tag }) => /[a-z]/.test(tag));
  const skipped = entries.filter(({ tag, name }) => /s/i.test(tag) && exists(path.join(checkout, name)));
  for (const [flag, those] of [
    ['--no-assume-unchanged', assumed],
    ['--no-skip-worktree', skipped],
  ] as const)
    if (those.length > 0)
      await git(['update-index', flag, '-z', '--stdin'], those.map(({ name }) => name).join('\0'));
}

function exists(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch {
    // A file in place of a parent folder is an error too.
    return false;
  }
}

/** `:100644 100644 1a2b3c 4d5e6f M`, then the name as a separate part. */
function changesIn(raw: string): { before: string; after: string; name: string }[] {
  const parts = splitNul(raw);
  return parts.flatMap((facts, index) => {
    const name = parts[index + 1];
    if (index % 2 === 1 || name === undefined) return [];
    return [{ before: facts.slice(1, 7), after: facts.slice(8, 14), name }];
  });
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function line(text: string): string {
  return text.replace(/\r?\n$/, '');
}

function unusable(checkout: string, reason: string): CharretteError {
  return new CharretteError({
    code: 'checkout-unusable',
    message: `The work in ${checkout} cannot be taken: ${reason}.`,
    fix: 'Nothing else was changed. Copy what you need from that folder and move it away. If the run stopped, `charrette resume` makes a new one.',
  });
}

/** Whether an error says that a checkout cannot be used, which is a matter of the agent that worked in it. */
export function isUnusable(error: unknown): error is CharretteError {
  return error instanceof CharretteError && error.code === 'checkout-unusable';
}
