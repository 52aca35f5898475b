import path from 'node:path';
import { CharretteError } from '../errors.ts';
import { type GitOptions, gitError, runGit } from './run-git.ts';

/** What kind of repository a directory is in. */
export type RepositoryFacts = {
  /** The root of the working tree. */
  root: string;
  /** Where the directory lies below the root; empty at the root itself. */
  subfolder: string;
  gitDirectory: string;
  /** Shared by all worktrees of a repository. */
  commonDirectory: string;
  linkedWorktree: boolean;
  /** The repository this one is a submodule of. */
  superproject: string | undefined;
  shallow: boolean;
  /** The commit HEAD is at; absent before the first commit. */
  head: string | undefined;
  /** Absent when HEAD is detached. */
  branch: string | undefined;
};

/** Reads the facts without changing anything; outside a working tree it says so. */
export async function repositoryFacts(directory: string, options: GitOptions = {}): Promise<RepositoryFacts> {
  const run = (...args: string[]) => runGit(directory, args, options);
  const bare = await run('rev-parse', '--is-bare-repository');
  if (bare.code !== 0) throw gitError(['rev-parse'], bare);
  const inside = await run('rev-parse', '--is-inside-work-tree');
  if (bare.stdout.trim() === 'true' || inside.stdout.trim() !== 'true') {
    throw new CharretteError({
      code: 'not-a-repository',
      message: 'The directory belongs to a bare repository or to git’s own folder; there is no working tree.',
      fix: 'Run the command in a checkout.',
    });
  }
  const [root, prefix, git, common, shallow, superproject] = await Promise.all([
    run('rev-parse', '--show-toplevel'),
    run('rev-parse', '--show-prefix'),
    run('rev-parse', '--absolute-git-dir'),
    run('rev-parse', '--path-format=absolute', '--git-common-dir'),
    run('rev-parse', '--is-shallow-repository'),
    run('rev-parse', '--show-superproject-working-tree'),
  ]);
  for (const result of [root, git, common]) if (result.code !== 0) throw gitError(['rev-parse'], result);
  const [head, branch] = await Promise.all([
    headCommit(directory, options),
    currentBranch(directory, options),
  ]);
  const gitDirectory = line(git.stdout);
  const commonDirectory = path.resolve(line(common.stdout));
  return {
    root: line(root.stdout),
    subfolder: line(prefix.stdout).replace(/\/$/, ''),
    gitDirectory,
    commonDirectory,
    linkedWorktree: path.resolve(gitDirectory) !== commonDirectory,
    superproject: line(superproject.stdout) || undefined,
    shallow: shallow.stdout.trim() === 'true',
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

export function headCommit(directory: string, options: GitOptions = {}): Promise<string | undefined> {
  return commitOf(directory, 'HEAD', options);
}

/** L-104: the symbolic name of HEAD; `undefined` when detached. */
export async function currentBranch(
  directory: string,
  options: GitOptions = {},
): Promise<string | undefined> {
  const result = await runGit(directory, ['symbolic-ref', '--short', '--quiet', 'HEAD'], options);
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
    ...(facts.head === undefined ? ['There is no commit yet: citations and drift cannot be checked.'] : []),
    ...(facts.branch === undefined ? ['HEAD is detached.'] : []),
  ];
}

function line(text: string): string {
  return text.replace(/\r?\n$/, '');
}
