import { type GitOptions, gitOutput, streamGit } from '../git/run-git.ts';

/** Evidence is what the repository holds: nothing is fetched, and nothing stands in for a commit or file. */
const rules = { offline: true, maximumBytes: 512 * 1024 * 1024, timeoutMs: 600_000 };
const ownObjects = '--no-replace-objects';

export function readGit(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return gitOutput(directory, [ownObjects, ...args], { ...rules, ...options });
}

export function streamObjects(
  directory: string,
  args: readonly string[],
  onChunk: (chunk: Buffer) => void,
  options: GitOptions = {},
): Promise<void> {
  return streamGit(directory, [ownObjects, ...args], onChunk, { ...rules, ...options });
}
