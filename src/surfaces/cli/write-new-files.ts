import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { containedPath } from '../../base/files/contained.ts';
import type { ExchangeFile } from '../../plan/exchange/outline-files.ts';

/**
 * Writes files below a folder, all or none: one that is there with other content, or that is not among them any more (`left`), stops it,
 * unless it may be replaced.
 */
export async function writeNewFiles(
  root: string,
  files: readonly ExchangeFile[],
  { force, dryRun, left = [] }: { force: boolean; dryRun: boolean; left?: readonly string[] },
): Promise<string[]> {
  if (!dryRun) await mkdir(root, { recursive: true });
  const targets = await Promise.all(
    files.map(async ({ path, text }) => ({
      path,
      text,
      target: existsSync(root) ? await containedPath(root, path) : path,
    })),
  );
  const states = await Promise.all(
    targets.map(async (file) => ({
      ...file,
      before: existsSync(file.target) ? await readTextFile(file.target) : undefined,
    })),
  );
  const changed = [
    ...states.filter(({ before, text }) => before !== undefined && before !== text).map(({ path }) => path),
    ...left,
  ];
  if (changed.length > 0 && !force) {
    throw new CharretteError({
      code: 'would-overwrite',
      message: `${changed.join(', ')} ${changed.length === 1 ? 'is' : 'are'} there already, with other content.`,
      fix: 'Choose another --name or --out, or replace them with --force.',
    });
  }
  if (!dryRun) {
    for (const { target, text } of states) await writeFileAtomic(target, text);
    for (const name of left) await rm(await containedPath(root, name), { force: true });
  }
  return files.map(({ path }) => path);
}
