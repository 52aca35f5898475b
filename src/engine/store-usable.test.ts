import { chmodSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { skipsBecause } from '../../test/support/optional-programs.ts';
import { homeOf } from './run-directory.ts';
import { requireUsable } from './store.ts';

function someStore() {
  const home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-usable-')));
  mkdirSync(path.join(home.store, 'global'), { recursive: true });
  writeFileSync(path.join(home.store, 'global', 'pg_control'), '');
  return home;
}

const failure = new Error('PGlite failed to initialize properly');

test('a store with readable and writable files and free space counts as corrupt', async () => {
  const home = someStore();
  await requireUsable(home, failure);
  expect(readdirSync(home.root)).toEqual(['store']);
});

test('too little memory is not the fault of a store', async () => {
  const refused = new RangeError('WebAssembly.Memory(): could not allocate memory');
  await expect(requireUsable(someStore(), refused)).rejects.toBe(refused);
});

test.skipIf(skipsBecause(process.getuid?.() === 0, 'root can read every file'))(
  'a file that may not be read is named',
  async () => {
    const home = someStore();
    chmodSync(path.join(home.store, 'global', 'pg_control'), 0);
    await expect(requireUsable(home, failure)).rejects.toMatchObject({ code: 'EACCES' });
  },
);
