import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  bareEnvironment,
  type TemporaryRepository,
  temporaryRepository,
} from '../../../test/temporary-repository.ts';
import {
  dropRecords,
  featureKey,
  keepRecords,
  putBackRecords,
  readRecord,
} from '../../prompts/feature/archive.ts';
import { gitOutput } from '../../repo/git/run-git.ts';
import { commitRevision, completionMessage, revisionMessage } from './commit.ts';

const git = { environment: bareEnvironment };
let repository: TemporaryRepository;
beforeEach(() => {
  repository = temporaryRepository();
  repository.write('spec.md', 'one\n');
  repository.commit('start');
});
afterEach(() => repository.remove());

test('T-091: messages of revisions and of completed phases', () => {
  expect(completionMessage('design', 'search')).toBe('phase(design): search - approved');
  expect(completionMessage('design', 'search', false)).toBe('phase(design): search - issues carried forward');
  expect(revisionMessage('specify', 'spec-reviewer', 2)).toBe('charrette: specify review iteration 2');
  expect(revisionMessage('specify', 'phase-reviewer', 1)).toBe('charrette: specify phase-review iteration 1');
  expect(revisionMessage('design', 'phase-reviewer', 3)).toBe('charrette: design handoff review iteration 3');
  expect(revisionMessage('plan', 'phase-reviewer', 1)).toBe('charrette: plan chain review iteration 1');
  expect(revisionMessage('implement', 'implementer', 4)).toBe(
    'charrette: implement review iteration 4 fixes',
  );
  expect(completionMessage('design', 'search')).toBe('phase(design): search - approved');
});

test('T-092, T-096, tricky case 8: only the named files are committed, whatever else is staged', async () => {
  repository.write('spec.md', 'two\n');
  repository.write('other.txt', 'staged by another user\n');
  await gitOutput(repository.root, ['add', 'other.txt'], git);
  const outcome = await commitRevision(repository.root, ['spec.md'], 'charrette: specify review iteration 1');
  expect(outcome.kind).toBe('COMMIT_OK');
  expect(await gitOutput(repository.root, ['show', '--name-only', '--format=%s', 'HEAD'], git)).toBe(
    'charrette: specify review iteration 1\n\nspec.md\n',
  );
  expect(await gitOutput(repository.root, ['diff', '--cached', '--name-only'], git)).toBe('other.txt\n');
});

test('T-092: an artifact that was never tracked is committed too; no change differs from failure', async () => {
  repository.write('design.md', 'new\n');
  expect((await commitRevision(repository.root, ['design.md'], 'm')).kind).toBe('COMMIT_OK');
  expect(await commitRevision(repository.root, ['design.md'], 'm')).toEqual({ kind: 'NO_CHANGES' });
  expect(await commitRevision(repository.root, [], 'm')).toEqual({ kind: 'NO_CHANGES' });
  expect(await commitRevision(repository.root, ['gone.md'], 'm')).toMatchObject({
    kind: 'COMMIT_FAILED',
  });
  expect(await commitRevision(repository.root, ['../x', '/etc/passwd'], 'm')).toEqual({
    kind: 'NO_CHANGES',
  });
});

test.each(['pre-commit', 'commit-msg', 'prepare-commit-msg'])(
  'T-092: a %s hook that refuses leaves the index as it was, half-staged, new and removed files alike',
  async (hook) => {
    repository.write('docs/gone.md', 'gone\n');
    repository.write('docs/spec.md', 'one\n');
    repository.commit('docs');
    repository.write('docs/spec.md', 'staged\n');
    repository.git('add', 'docs/spec.md');
    repository.write('docs/spec.md', 'more\n');
    repository.write('docs/new.md', 'new\n');
    rmSync(path.join(repository.root, 'docs/gone.md'));
    const state = () => [
      repository.git('ls-files', '--stage'),
      repository.git('status', '--porcelain', '--untracked-files=all'),
    ];
    const before = state();
    repository.write(`.git/hooks/${hook}`, '#!/bin/sh\necho first\necho second >&2\nexit 1\n');
    chmodSync(path.join(repository.root, '.git/hooks', hook), 0o755);
    expect(await commitRevision(repository.root, ['docs'], 'm')).toEqual({
      kind: 'COMMIT_FAILED',
      reason: 'first\nsecond',
    });
    expect(state()).toEqual(before);
  },
);

test('T-092: files that were only announced came back from a refused commit as staged and empty', async () => {
  repository.write('.gitignore', 'ignored*\n');
  repository.commit('ignore');
  const announced = ['docs/new.md', 'docs/a *[b].md', 'docs/ignored.md', 'docs/empty.md'];
  for (const name of announced) repository.write(name, name.includes('empty') ? '' : 'text\n');
  repository.git('add', '--intent-to-add', '--force', 'docs');
  repository.write('docs/staged-empty.md', '');
  repository.git('add', 'docs/staged-empty.md');
  const status = () => repository.git('status', '--porcelain', '--untracked-files=all');
  const before = status();
  refuse('exit 1');
  expect((await commitRevision(repository.root, ['docs'], 'm')).kind).toBe('COMMIT_FAILED');
  expect(status()).toBe(before);
  expect(repository.git('diff', '--cached', '--name-only')).toBe('docs/staged-empty.md');
});

test('T-092: what could not be staged as it was before was not spoken of', async () => {
  repository.write('new.md', 'text\n');
  repository.git('add', '--intent-to-add', 'new.md');
  refuse('rm new.md; echo no; exit 1');
  expect(await commitRevision(repository.root, ['new.md'], 'm')).toEqual({
    kind: 'COMMIT_FAILED',
    reason: expect.stringMatching(/^no; what was staged before could not be put back: .*new\.md/),
  });
});

/** A hook that runs these words before every commit. */
function refuse(words: string): void {
  repository.write('.git/hooks/pre-commit', `#!/bin/sh\n${words}\n`);
  chmodSync(path.join(repository.root, '.git/hooks/pre-commit'), 0o755);
}

test('T-086, lean/C-06: finishing takes history and log out of the feature, complete and outside of it', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'archive-'));
  expect(await keepRecords(root, path.join(root, 'gone'))).toEqual([]);
  const made = path.join(root, 'docs/features/007-search');
  mkdirSync(made, { recursive: true });
  const source = path.join(made, '.review-history.md');
  writeFileSync(source, 'LAZY-LOAD-WARNING: a did not confirm artifact reads\n');
  const kept = await keepRecords(root, made);
  const copy = path.join(root, '.charrette/features/007-search/.review-history.md');
  expect(kept).toEqual([{ source, copy }]);
  expect(existsSync(source)).toBe(true);
  await dropRecords(kept);
  expect(existsSync(source)).toBe(false);
  expect(await readRecord(root, made, '.review-history.md')).toContain('LAZY-LOAD-WARNING');
  await putBackRecords(kept);
  expect(readFileSync(source, 'utf8')).toBe(readFileSync(copy, 'utf8'));
});

test('T-086: records of a feature that was finished twice are kept next to each other, and the last one counts', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'archive-'));
  const feature = path.join(root, '007-search');
  mkdirSync(feature);
  const names: string[] = [];
  for (const text of ['first\n', 'second\n', 'second\n']) {
    writeFileSync(path.join(feature, '.review-history.md'), text);
    const [kept = { source: '', copy: '' }] = await keepRecords(root, feature);
    expect(readFileSync(kept.copy, 'utf8')).toBe(text);
    names.push(path.basename(kept.copy));
    await dropRecords([kept]);
  }
  expect(names).toEqual(['.review-history.md', '.review-history-2.md', '.review-history-2.md']);
  expect(await readRecord(root, feature, '.review-history.md')).toBe('second\n');
});

test('T-001, lean/C-06: features of the same name below two roots have separate records', () => {
  expect(
    ['docs/features/001-a', 'apps/web/docs/features/001-a'].map((at) => featureKey('/p', `/p/${at}`)),
  ).toEqual(['001-a', 'apps/web/docs/features/001-a']);
  expect(featureKey('/p', '/q/001-a')).toMatch(/^001-a-[0-9a-f]{8}$/);
  expect(featureKey('/p', '/q/001-a')).not.toBe(featureKey('/p', '/r/001-a'));
});
