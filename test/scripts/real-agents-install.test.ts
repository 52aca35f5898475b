import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from '../real-agents/lock.ts';
import { type Pin, pins } from '../real-agents/pins.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'install-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('every pin is one exact version with a program for this suite', () => {
  const all: readonly Pin[] = pins;
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  for (const pin of all) {
    expect(pin.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(pin.programs['linux-x64'] ?? pin.programs['any']).toMatch(/\S/);
  }
});

test('runs one installation at a time', async () => {
  let inside = 0;
  let most = 0;
  const work = async (turn: number) => {
    inside += 1;
    most = Math.max(most, inside);
    await sleep(30);
    inside -= 1;
    return turn;
  };
  const turns = [1, 2, 3].map((turn) =>
    withLock(
      folder,
      () => undefined,
      () => work(turn),
    ),
  );
  expect(await Promise.all(turns)).toEqual([1, 2, 3]);
  expect(most).toBe(1);
});

test('claims a lock whose owner died', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  const owner = { host: hostname(), pid, started: 'long ago' };
  await writeFile(path.join(folder, 'install.lock'), JSON.stringify(owner));
  expect(
    await withLock(
      folder,
      () => undefined,
      async () => 'done',
    ),
  ).toBe('done');
});

test('releases the lock after a failure', async () => {
  const failing = withLock(
    folder,
    () => undefined,
    () => Promise.reject(new Error('no network')),
  );
  await expect(failing).rejects.toThrow('no network');
  expect(
    await withLock(
      folder,
      () => undefined,
      async () => 'done',
    ),
  ).toBe('done');
});
