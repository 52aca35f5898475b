import path from 'node:path';
import { expect, test } from 'vitest';
import { gitOutput } from './run-git.ts';

test('a directory that is not there is named, not mistaken for a missing git', async () => {
  const gone = path.join(import.meta.dirname, 'gone');
  await expect(gitOutput(gone, ['status'])).rejects.toMatchObject({
    code: expect.not.stringMatching('git-missing'),
    message: expect.stringContaining(`there is no directory ${gone}`),
  });
});

test('a git that is not on PATH is named', async () => {
  await expect(
    gitOutput(import.meta.dirname, ['status'], { environment: { PATH: '/nowhere' } }),
  ).rejects.toMatchObject({ code: 'git-missing' });
});
