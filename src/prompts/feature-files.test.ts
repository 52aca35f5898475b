import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { featureDirectory } from '../../test/support/feature-directory.ts';
import { compilePrompt } from './compile.ts';
import { readFeature } from './feature-files.ts';
import { dispatchFor } from './roles/table.ts';

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

test('an empty artifact is told apart from a missing one', async () => {
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
