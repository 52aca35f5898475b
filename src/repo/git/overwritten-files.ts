import { lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import { type GitOptions, gitOutput, runGit, splitNul } from './run-git.ts';

const pathsPerCall = 200;

/**
 * Files of the working tree that git would overwrite without a word when it moves from HEAD to a commit: those that it does not track
 * and is told to ignore. They are in no commit, so nobody gets them back.
 */
export async function overwrittenBy(
  directory: string,
  commit: string,
  git: GitOptions = {},
): Promise<string[]> {
  const words = ['diff', '--no-relative', '--name-only', '--no-renames', '--diff-filter=A', '-z'];
  const added = await runGit(directory, [...words, '--end-of-options', 'HEAD', commit], git);
  // A commit that is not there: whoever wants to move to it is told so by git.
  const names = added.code === 0 ? splitNul(added.stdout) : [];
  if (names.length === 0) return [];
  const root = (await gitOutput(directory, ['rev-parse', '--show-toplevel'], git)).replace(/\r?\n$/, '');
  const taken = [...new Set(names.flatMap((name) => placeTaken(root, name) ?? []))];
  const overwritten: string[] = [];
  for (let start = 0; start < taken.length; start += pathsPerCall) {
    const some = taken.slice(start, start + pathsPerCall);
    const untracked = ['--literal-pathspecs', 'ls-files', '--others', '-z', '--', ...some];
    overwritten.push(...splitNul(await gitOutput(root, untracked, git)));
  }
  return overwritten;
}

/** What stands where a file shall come: something of its name, or something else than a folder on the way to it. */
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
