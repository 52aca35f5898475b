import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { homeOf, runDirectoryOf } from '../run-directory.ts';
import { digestOf, pullRun, restoreRun } from './mirror.ts';
import type { Queue } from './queue.ts';

/** A store that says it holds these files. */
function storeWith(files: Readonly<Record<string, string>>): Queue {
  const rows = Object.entries(files).map(([name, text], index) => {
    const bytes = Buffer.from(text);
    return { path: name, position: 0, bytes, digest: digestOf(bytes), change: index + 1 };
  });
  return { pool: { query: async () => ({ rows }) } } as unknown as Queue;
}

test.each([
  '../../../../planted',
  '/tmp/planted',
  'artifacts/../../../planted',
  'artifacts/./../../planted',
  'lanes/a-1/home/.netrc',
  '.git/hooks/post-checkout',
  'artifacts/a\0b',
  'worktrees/x',
])('a store that names %j has nothing written at all', async (name) => {
  const project = projectWith();
  const directory = runDirectoryOf(homeOf(project), 'r-1');
  const store = storeWith({ 'run.json': '{}', 'artifacts/plan.md': 'plan', [name]: 'planted' });
  await expect(restoreRun(store, directory, project)).rejects.toMatchObject({ code: 'store-corrupt' });
  await expect(pullRun(store, directory, 0)).rejects.toMatchObject({ code: 'store-corrupt' });
  expect(readdirSync(project)).toEqual([]);
});

test.each(['artifacts', 'artifacts/plan.md', 'lanes'])(
  'a copy whose %s is a link out is not written through',
  async (name) => {
    const outside = projectWith({ 'plan.md': 'theirs' });
    const project = projectWith();
    const directory = runDirectoryOf(homeOf(project), 'r-1');
    mkdirSync(path.dirname(path.join(directory.root, name)), { recursive: true });
    symlinkSync(
      name.endsWith('.md') ? path.join(outside, 'plan.md') : outside,
      path.join(directory.root, name),
    );
    const store = storeWith({ 'artifacts/plan.md': 'planted', 'lanes/a-1/prompt.md': 'planted' });
    await expect(pullRun(store, directory, 0)).rejects.toMatchObject({ code: 'path-unsafe' });
    expect(readFileSync(path.join(outside, 'plan.md'), 'utf8')).toBe('theirs');
    expect(existsSync(path.join(outside, 'a-1'))).toBe(false);
  },
);
