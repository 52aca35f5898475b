import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { type GitOptions, gitError, gitLine, gitOutput, runGit, splitNul } from './run-git.ts';

/** What git keeps while an operation waits for a person. */
const marks: readonly (readonly [mark: string, operation: string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
];

/** The unfinished git operation in a directory, by the name of its command. */
export async function operationUnderWay(directory: string): Promise<string | undefined> {
  const folder = await gitLine(directory, ['rev-parse', '--absolute-git-dir']);
  return marks.find(([mark]) => existsSync(path.join(folder, mark)))?.[1];
}

/** What a checkout of the last commit does not have: changed and new files from the root of the repository, without our own. */
export async function uncommittedIn(root: string): Promise<string[]> {
  const words = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal'];
  return splitNul(await gitOutput(root, words))
    .map((entry) => entry.slice(3))
    .filter((name) => !isOwnFile(name));
}

/** Whether a file at the top of a project is part of what the program keeps there: its records, its configuration. */
export function isOwnFile(name: string): boolean {
  return name.startsWith('.charrette') || name.startsWith('charrette.config.');
}

/**
 * A name that every clone of a repository has in common: where it comes from, without scheme, login and ending; else its
 * first commit; else its folder, which no other clone has.
 */
export async function repositoryIdentity(directory: string): Promise<string> {
  const origin = await runGit(directory, ['config', '--get', 'remote.origin.url']);
  const named = origin.code === 0 ? normalOrigin(origin.stdout.trim()) : undefined;
  if (named !== undefined) return named;
  const shallow = await runGit(directory, ['rev-parse', '--is-shallow-repository']);
  if (shallow.code === 0 && shallow.stdout.trim() === 'false') {
    const roots = await runGit(directory, ['rev-list', '--max-parents=0', 'HEAD']);
    const [first] = roots.code === 0 ? roots.stdout.trim().split('\n').sort() : [];
    if (first !== undefined && first !== '') return `commit:${first}`;
  }
  return `folder:${realpathSync(directory)}`;
}

/** `host/path` of an address on a server; nothing for a folder, which means something else on every machine. */
export function normalOrigin(url: string): string | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/+(.+)$/i.exec(url);
  const short = /^(?:[^@/:\s]+@)?([^/:\s]{2,}):(?!\/\/)\/*(.+)$/.exec(url);
  const [, host, path] = (/^file:/i.test(url) ? undefined : (address ?? short)) ?? [];
  if (host === undefined || path === undefined) return undefined;
  const name = path
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '');
  return name === '' ? undefined : `${host.toLowerCase()}/${name}`;
}

/** What kind of repository a directory is in. */
export type RepositoryFacts = {
  /** The root of the working tree. */
  root: string;
  /** Where the directory lies below the root; empty at the root itself. */
  subfolder: string;
  gitDirectory: string;
  linkedWorktree: boolean;
  /** The repository this one is a submodule of. */
  superproject: string | undefined;
  shallow: boolean;
  /** The commit HEAD is at; absent before the first commit. */
  head: string | undefined;
  /** Absent when HEAD is detached. */
  branch: string | undefined;
};

/** What `git rev-parse` is asked, all in one process: runs begin with it. */
const asked = {
  inside: '--is-inside-work-tree',
  shallow: '--is-shallow-repository',
  root: '--show-toplevel',
  prefix: '--show-prefix',
  gitDirectory: '--absolute-git-dir',
  common: '--git-common-dir',
  superproject: '--show-superproject-working-tree',
} as const;

/** An option that git does not know: it repeats it, between one answer and the next. A path may have line ends. */
const mark = '--next-answer';

/** Reads the facts without changing anything; outside a working tree it says so. */
export async function repositoryFacts(directory: string): Promise<RepositoryFacts> {
  const questions = Object.values(asked).flatMap((question) => [question, mark]);
  const [said, head, branch] = await Promise.all([
    runGit(directory, ['rev-parse', '--path-format=absolute', ...questions]),
    headCommit(directory),
    currentBranch(directory),
  ]);
  const parts = said.stdout.split(`${mark}\n`).map((part) => part.replace(/\r?\n$/, ''));
  const answers = Object.fromEntries(
    Object.keys(asked).map((key, index) => [key, parts[index] ?? '']),
  ) as Record<keyof typeof asked, string>;
  // Git answers this one before it fails because the tree is missing.
  if (answers.inside === 'false') {
    throw new CharretteError({
      code: 'not-a-repository',
      message: 'The directory belongs to a bare repository or to git’s own folder; it has no working tree.',
      fix: 'Run the command in a checkout.',
    });
  }
  if (said.code !== 0) throw gitError(['rev-parse'], said);
  const { root, gitDirectory, prefix, superproject, shallow } = answers;
  return {
    root,
    subfolder: prefix.replace(/\/$/, ''),
    gitDirectory,
    linkedWorktree: path.resolve(gitDirectory) !== path.resolve(answers.common),
    superproject: superproject || undefined,
    shallow: shallow === 'true',
    head,
    branch,
  };
}

/** The commit of a revision; `undefined` when it does not exist. */
export async function commitOf(
  directory: string,
  revision: string,
  options: GitOptions = {},
): Promise<string | undefined> {
  const result = await runGit(
    directory,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    options,
  );
  return result.code === 0 ? result.stdout.trim() : undefined;
}

/** True if `one` is `other` or an ancestor of it. */
export async function isAncestor(directory: string, one: string, other: string): Promise<boolean> {
  return (await runGit(directory, ['merge-base', '--is-ancestor', one, other])).code === 0;
}

export async function hasBranch(directory: string, name: string): Promise<boolean> {
  return (await runGit(directory, ['show-ref', '--verify', '--quiet', `refs/heads/${name}`])).code === 0;
}

/** True if git accepts a name for a branch; it is then no option and no path. */
export async function isBranchName(directory: string, name: string): Promise<boolean> {
  return (await runGit(directory, ['check-ref-format', '--branch', name])).code === 0;
}

/** The root of the working tree. */
export function topLevel(directory: string): Promise<string> {
  return gitLine(directory, ['rev-parse', '--show-toplevel']);
}

export function headCommit(directory: string): Promise<string | undefined> {
  return commitOf(directory, 'HEAD');
}

/** L-104: the symbolic name of HEAD; `undefined` when detached. */
export async function currentBranch(directory: string): Promise<string | undefined> {
  const result = await runGit(directory, ['symbolic-ref', '--short', '--quiet', 'HEAD']);
  return result.code === 0 ? result.stdout.trim() : undefined;
}

/** Things about a repository that a person should know before a run; none are errors. */
export function repositoryNotes(facts: RepositoryFacts): string[] {
  return [
    ...(facts.shallow ? ['The clone is shallow: history older than its boundary cannot be read.'] : []),
    ...(facts.superproject === undefined ? [] : [`The directory is a submodule of ${facts.superproject}.`]),
    ...(facts.linkedWorktree
      ? ['The directory is a linked worktree; its branches are shared with the main one.']
      : []),
    ...(facts.head === undefined
      ? ['The repository has no commit yet: citations and drift cannot be checked.']
      : []),
    ...(facts.branch === undefined ? ['HEAD is detached.'] : []),
  ];
}
