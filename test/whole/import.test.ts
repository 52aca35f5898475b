import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { charrette } from '../support/program.ts';
import { bundleEntries, png, writeZip, type ZipEntry } from '../support/zip.ts';

function folder(entries: Iterable<ZipEntry>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'charrette-import-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeZip(path.join(root, 'bundle.zip'), entries);
  return root;
}

const icons = (count: number): ZipEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `assets/${index % 100}/${index}.png`,
    content: png,
    stored: true,
  }));

test('IM-01 IM-04 a bundle of 10,000 entries is imported by the program, one of 10,001 is refused with nothing left behind', async () => {
  const fits = folder(bundleEntries(icons(10_000 - 8)));
  const done = await charrette(['import', 'bundle.zip', '--json'], { cwd: fits });
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ format: 'zip', counts: { assets: 10_000 - 6 } });
  expect(readdirSync(path.join(fits, '.moai/design/assets'))).toHaveLength(102);
  const over = folder(bundleEntries(icons(10_000 - 7)));
  const refused = await charrette(['import', 'bundle.zip'], { cwd: over });
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain('10001 entries, over 10000');
  expect(existsSync(path.join(over, '.moai'))).toBe(false);
});

test('IM-12 the three lines of an unsupported version are on stderr; with --json the error is the only thing on stdout', async () => {
  const root = folder(bundleEntries([], '9.0'));
  const text = await charrette(['import', 'bundle.zip'], { cwd: root });
  expect(text).toMatchObject({ code: 2, stdout: '' });
  expect(text.stderr).toMatch(
    /\nDetected bundle version: v9\.0\nSupported versions: 1\.0\nSwitch to path B: /,
  );
  const json = await charrette(['import', 'bundle.zip', '--json'], { cwd: root });
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'DESIGN_IMPORT_UNSUPPORTED_VERSION' } });
  expect(existsSync(path.join(root, '.moai'))).toBe(false);
});

test('IM-16 --dry-run lists what would be imported and writes nothing', async () => {
  const root = folder(bundleEntries());
  const before = readFileSync(path.join(root, 'bundle.zip')).length;
  const dry = await charrette(['import', 'bundle.zip', '--dry-run'], { cwd: root });
  expect(dry).toMatchObject({
    code: 0,
    stdout: 'would import the bundle v1.0: 2 components, 2 assets into .moai/design/\n',
  });
  expect([existsSync(path.join(root, '.moai')), before > 0]).toEqual([false, true]);
});
