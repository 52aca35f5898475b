import { expect, onTestFinished, test } from 'vitest';
import { temporaryRepository } from '../../../test/temporary-repository.ts';
import { resolveSubject } from './subject.ts';

test('R-001 a range begins at the common commit, a path with dots is a file, and more words are refused', async () => {
  const { root, git, write, commit, remove } = temporaryRepository();
  onTestFinished(remove);
  write('notes..v2.md', 'Notes.\n');
  const common = commit('Begin');
  git('checkout', '--quiet', '-b', 'topic');
  write('topic.txt', 'topic\n');
  const head = commit('Topic');
  git('checkout', '--quiet', '-b', 'other', common);
  write('other.txt', 'other\n');
  commit('Other');
  const of = (words: string[], commits?: string) => resolveSubject(root, { words, commits, cwd: root });
  for (const range of ['other..topic', 'other...topic'])
    expect(await of([range])).toMatchObject({ kind: 'commits', base: common, head });
  expect(await of([], 'other..topic')).toMatchObject({ kind: 'commits', base: common, head });
  expect(await of(['notes..v2.md'])).toMatchObject({ kind: 'doc', document: { path: 'notes..v2.md' } });
  await expect(of(['other..nothing'])).rejects.toMatchObject({ code: 'not-found' });
  await expect(of([], 'topic')).rejects.toMatchObject({ code: 'usage' });
  await expect(of(['other..topic', 'topic'])).rejects.toMatchObject({ code: 'usage' });
  await expect(of(['branch', 'topic', 'other'])).rejects.toMatchObject({ code: 'usage' });
});
