import { existsSync } from 'node:fs';
import path from 'node:path';
import { type GitOptions, gitOutput } from './run-git.ts';

/** What git keeps while an operation waits for a person. */
const marks: readonly (readonly [mark: string, operation: string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
];

/** The git operation that somebody began here and has not ended, by the name of its command. */
export async function operationUnderWay(
  directory: string,
  git: GitOptions = {},
): Promise<string | undefined> {
  const said = await gitOutput(directory, ['rev-parse', '--absolute-git-dir'], git);
  const folder = said.replace(/\r?\n$/, '');
  return marks.find(([mark]) => existsSync(path.join(folder, mark)))?.[1];
}
