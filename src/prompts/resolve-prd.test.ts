import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FeatureContent, featureDirectory } from '../../test/support/feature-directory.ts';
import { readFeature } from './feature-files.ts';
import { isPrdSentinel, prdLine } from './prd.ts';

const without = (meta?: string): FeatureContent => ({ prd: undefined, meta }) as FeatureContent;
const source = (value: unknown) => without(JSON.stringify({ brainstorm_source: value }));

async function resolved(
  content: FeatureContent,
  prepare: (root: string, directory: string) => void = () => {},
) {
  const { root, directory } = featureDirectory(content);
  prepare(root, directory);
  const { prd } = await readFeature(directory);
  return { prd, root, directory };
}

const brainstorm = (root: string) => {
  mkdirSync(path.join(root, 'docs', 'brainstorms'), { recursive: true });
  writeFileSync(path.join(root, 'docs', 'brainstorms', 'idea.prd.md'), '# Idea\n');
};

test('T-013, T-019, lean/C-08: the file of the feature comes first', async () => {
  const { prd, directory } = await resolved(
    { meta: '{"brainstorm_source": "docs/brainstorms/idea.prd.md"}' },
    brainstorm,
  );
  expect(prd).toEqual({ kind: 'path', path: `${directory}/prd.md` });
  expect(prdLine(prd)).toBe(`- PRD: ${directory}/prd.md`);
});

test('T-014, tricky case 6: the brainstorm counts from the repository', async () => {
  const { prd, root } = await resolved(source('docs/brainstorms/idea.prd.md'), brainstorm);
  expect(prd).toMatchObject({ kind: 'fallback', path: `${root}/docs/brainstorms/idea.prd.md` });
});

test('an absolute path inside the repository is as good as a relative one', async () => {
  const { root, directory } = featureDirectory(without());
  brainstorm(root);
  const file = path.join(root, 'docs/brainstorms/idea.prd.md');
  writeFileSync(path.join(directory, '.meta.json'), JSON.stringify({ brainstorm_source: file }));
  expect((await readFeature(directory)).prd).toMatchObject({ kind: 'fallback', path: file });
});

test.each([
  ['nothing', without('{}')],
  ['an empty text', source('')],
  ['a space', source('  ')],
  ['null', source(null)],
  ['an object', source({ path: 'x' })],
  ['no state file', without()],
  ['a broken state file', without('{"brainstorm_source": ')],
  ['a list for a state file', without('[]')],
])('T-015: %s gives the sentinel', async (_name, content) => {
  const { prd } = await resolved(content);
  expect(prd).toEqual({ kind: 'none' });
  expect(prdLine(prd)).toBe('- PRD: No PRD — feature created without brainstorm');
});

test.each([
  ['docs/brainstorms/gone.md', 'no such file in the repository'],
  ['/Users/somebody/else/docs/idea.prd.md', 'no such file on this machine'],
  ['../../../../../../../etc/hostname', 'the path leads out of the repository'],
  ['/etc/hostname', 'the path leads out of the repository'],
  ['a\0b', 'the path has a NUL character'],
  ['docs', 'no such file in the repository'],
  ['x'.repeat(5000), 'no such file in the repository'],
])('lean/C-10: the source %j is broken: %s', async (value, reason) => {
  const { prd } = await resolved(source(value));
  expect(prd).toMatchObject({ kind: 'broken', reason });
  expect(prdLine(prd)).toBe('- PRD: No PRD — feature created without brainstorm');
});

test('a brainstorm that is a link out of the repository is refused', async () => {
  const { prd } = await resolved(source('docs/link.md'), (root) =>
    symlinkSync('/etc/hostname', path.join(root, 'docs/link.md')),
  );
  expect(prd).toMatchObject({ kind: 'broken', reason: 'the path leads out of the repository' });
});

test.each([
  ['zero bytes', (file: string) => writeFileSync(file, '')],
  ['a directory', (file: string) => mkdirSync(file)],
  ['a link out', (file: string) => symlinkSync('/etc/hostname', file)],
])('tricky case 6: prd.md with %s is no PRD', async (_name, make) => {
  const { prd } = await resolved({ meta: '{}' }, (_root, directory) => {
    rmSync(path.join(directory, 'prd.md'));
    make(path.join(directory, 'prd.md'));
  });
  expect(prd).toEqual({ kind: 'none' });
});

test.each([
  'No PRD — feature created without brainstorm',
  'None - feature created without brainstorm',
  'None — feature created without brainstorm',
])('lean/C-09: %s is read as the sentinel', (text) => {
  expect(isPrdSentinel(text)).toBe(true);
  expect(isPrdSentinel(`${text} but really`)).toBe(false);
});
