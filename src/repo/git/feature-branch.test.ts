import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryRepository, useBareGit } from '../../../test/temporary-repository.ts';
import { mergeInto, switchTo } from './feature-branch.ts';

test('going to another branch does not overwrite an ignored file of the person', async () => {
  const { root, git, write, commit, remove } = temporaryRepository();
  useBareGit();
  try {
    write('a.txt', 'a\n');
    commit('begin');
    git('switch', '--quiet', '--create', 'feature');
    write('.gitignore', 'local.env\n');
    const feature = commit('ignore it');
    git('switch', '--quiet', 'main');
    write('local.env', 'theirs\n');
    const main = commit('have it');
    git('switch', '--quiet', 'feature');
    write('local.env', 'mine\n');
    await expect(switchTo(root, 'main')).rejects.toMatchObject({
      code: 'git-failed',
      message: expect.stringContaining('local.env'),
    });
    const request = { branch: 'feature', onto: 'main', message: 'Merge' };
    await expect(mergeInto(root, request)).rejects.toMatchObject({ code: 'git-failed' });
    expect(readFileSync(path.join(root, 'local.env'), 'utf8')).toBe('mine\n');
    expect(git('rev-parse', 'HEAD', 'main')).toBe(`${feature}\n${main}`);
  } finally {
    remove();
  }
});
