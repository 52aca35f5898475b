import { type GitOptions, gitOutput, splitNul } from './run-git.ts';

/** What a checkout of the last commit does not have: changed and new files from the root of the repository, without our own. */
export async function uncommittedIn(root: string, git: GitOptions = {}): Promise<string[]> {
  const words = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal'];
  return splitNul(await gitOutput(root, words, git))
    .map((entry) => entry.slice(3))
    .filter((name) => !isOwnFile(name));
}

/** Whether a file at the top of a project is part of what the program keeps there: its records, its configuration. */
export function isOwnFile(name: string): boolean {
  return name.startsWith('.charrette') || name.startsWith('charrette.config.');
}
