import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FeatureContent, featureDirectory } from '../../test/support/feature-directory.ts';
import { compilePrompt } from './compile.ts';
import { isPrdSentinel, prdLine, readFeature } from './feature-files.ts';
import { dispatchFor } from './roles/table.ts';

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
  ['/Users/other/else/docs/idea.prd.md', 'no such file on this machine'],
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
])('tricky case 6: prd.md with %s is not a PRD', async (_name, make) => {
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

function prepared(prepare: (file: string) => void) {
  const { directory } = featureDirectory();
  const file = path.join(directory, 'spec.md');
  rmSync(file);
  prepare(file);
  return readFeature(directory);
}

const compile = (feature: Awaited<ReturnType<typeof readFeature>>, transport: 'reference' | 'inline') =>
  compilePrompt({
    dispatch: dispatchFor('specify', 'spec-reviewer'),
    files: feature.files,
    prd: feature.prd,
    transport,
    iteration: { iteration: 1, max: 5 },
  });

test('distinguishes an empty artifact from a missing one', async () => {
  const feature = await prepared((file) => writeFileSync(file, ''));
  expect(feature.files.spec).toEqual({ kind: 'unusable', reason: 'empty' });
  expect(() => compile(feature, 'reference')).toThrow(/needs spec\.md, which is empty/);
});

test('an artifact linked out of the feature is refused', async () => {
  const feature = await prepared((file) => symlinkSync('/etc/hostname', file));
  expect(() => compile(feature, 'reference')).toThrow(expect.objectContaining({ code: 'path-unsafe' }));
});

test('an artifact linked inside the feature is fine', async () => {
  const feature = await prepared((file) => symlinkSync('design.md', file));
  expect(feature.files.spec.kind).toBe('present');
});

test('a huge artifact is referred to, not read', async () => {
  const feature = await prepared((file) => {
    writeFileSync(file, 'x');
    truncateSync(file, 100 * 1024 * 1024);
  });
  expect(feature.files.spec).toMatchObject({ kind: 'present', bytes: 100 * 1024 * 1024 });
  const { inlined, expected, warnings } = compile(feature, 'inline');
  expect([inlined, expected]).toEqual([[], ['prd', 'spec']]);
  expect(warnings).toEqual(['spec.md is too large to go into a prompt; it is referred to']);
});

test('an artifact that is not UTF-8 is referred to, not copied', async () => {
  const feature = await prepared((file) => writeFileSync(file, Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a])));
  const { inlined, warnings } = compile(feature, 'inline');
  expect(inlined).toEqual([]);
  expect(warnings).toEqual(['spec.md is not UTF-8; it is referred to']);
});

test('a feature directory that is not there is a clear error', async () => {
  const { directory } = featureDirectory();
  await expect(readFeature(`${directory}-x`)).rejects.toThrow(/is not there/);
  await expect(readFeature(path.join(directory, 'spec.md'))).rejects.toThrow(/is not a directory/);
});
