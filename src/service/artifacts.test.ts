import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type WrittenRun, writeRun } from '../../test/support/web-run.ts';
import { readPicture } from './artifacts.ts';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
let written: WrittenRun;
afterEach(() => written.remove());

test('a picture is a PNG among the artifacts and nothing else', async () => {
  written = writeRun();
  const { directory } = written;
  writeFileSync(path.join(directory.artifacts, 'shot.png'), png);
  writeFileSync(path.join(directory.artifacts, 'page.png'), '<svg onload=alert(1)>');
  writeFileSync(path.join(directory.root, 'outside.png'), png);
  symlinkSync(path.join(directory.root, 'outside.png'), path.join(directory.artifacts, 'link.png'));
  mkdirSync(path.join(directory.artifacts, 'folder.png'));
  expect(await readPicture(directory, 'shot.png')).toBe(`data:image/png;base64,${png.toString('base64')}`);
  for (const name of ['page.png', 'folder.png', 'link.png', '../outside.png', 'none.png', 'plan.txt', ''])
    await expect(readPicture(directory, name), name).rejects.toThrow();
});
