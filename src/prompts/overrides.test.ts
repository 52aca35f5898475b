import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readOverrides } from './overrides.ts';

test('reads one file per part and nothing when there is no folder', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'overrides-'));
  await mkdir(path.join(directory, 'sketch'));
  await writeFile(path.join(directory, 'sketch', 'role.md'), 'Ours.');
  await writeFile(path.join(directory, 'sketch', 'notes.txt'), 'not a part');
  expect(await readOverrides(directory)).toEqual({ 'sketch/role': 'Ours.' });
  expect(await readOverrides(path.join(directory, 'nowhere'))).toEqual({});
});

test('a link that leads out of the folder is refused', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'overrides-'));
  await mkdir(path.join(directory, 'plan'));
  await symlink('/etc/hostname', path.join(directory, 'plan', 'role.md'));
  await expect(readOverrides(directory)).rejects.toThrow(/leads out/);
});

test('a folder that is itself a link out is refused', async () => {
  const outside = await mkdtemp(path.join(tmpdir(), 'overrides-'));
  await mkdir(path.join(outside, 'sketch'));
  await writeFile(path.join(outside, 'sketch', 'role.md'), 'Theirs.');
  const home = await mkdtemp(path.join(tmpdir(), 'overrides-'));
  await symlink(outside, path.join(home, 'prompts'));
  await expect(readOverrides(path.join(home, 'prompts'))).rejects.toThrow(/leads out/);
});
