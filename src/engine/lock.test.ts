import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { livingHolder, seizeLock, thisProcess, tryLock, waitForLock } from './lock.ts';

let file: string;

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-lock-')), 'store.lock');
});

test('one process holds the lock, the next gets its holder, and releasing frees it', async () => {
  const first = await tryLock(file);
  if (!first.held) throw new Error('not held');
  expect(await tryLock(file)).toMatchObject({ held: false, holder: { pid: process.pid } });
  first.lock.release();
  expect(existsSync(file)).toBe(false);
  expect((await tryLock(file)).held).toBe(true);
});

test('claims the lock of a killed process', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const dead = { pid: child.pid ?? 0, started: '1', host: hostname() };
  writeFileSync(file, JSON.stringify(dead));
  const attempt = await tryLock(file);
  child.kill('SIGKILL');
  // The number is in use, but by a process that started at another time.
  expect(attempt.held).toBe(true);
});

test('fails on a stale lock that cannot be removed instead of retrying forever', async () => {
  // The name of the folder that guards a takeover is too long, as a disk may be read-only.
  const long = path.join(path.dirname(file), 'l'.repeat(250));
  writeFileSync(long, JSON.stringify({ pid: 2 ** 22 - 1, started: '1', host: hostname() }));
  await expect(tryLock(long)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});

test('a lock of another host counts as held', async () => {
  writeFileSync(file, JSON.stringify({ pid: 1, started: '1', host: 'elsewhere' }));
  expect(await tryLock(file)).toMatchObject({ held: false, holder: { host: 'elsewhere' } });
});

test('of many that see a dead holder exactly one wins', async () => {
  writeFileSync(file, JSON.stringify({ pid: 2 ** 22 - 1, started: '1', host: hostname() }));
  const script = `import { tryLock, waitForLock } from ${JSON.stringify(path.join(import.meta.dirname, 'lock.ts'))};
    const attempt = await tryLock(process.argv[1]);
    process.stdout.write(String(attempt.held));
    process.stdin.resume();`;
  const children = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script, file]),
  );
  // All stay until the last has spoken: one that starts late still meets the winner alive.
  const outcomes = await Promise.all(
    children.map(
      (child) => new Promise<string>((resolve) => child.stdout.once('data', (said) => resolve(String(said)))),
    ),
  );
  for (const child of children) child.stdin.end();
  expect(outcomes.filter((said) => said === 'true')).toHaveLength(1);
});

test('a lock file that is garbage does not block for ever', async () => {
  writeFileSync(file, 'garbage');
  expect((await tryLock(file)).held).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(String(process.pid));
});

test('a truncated lock file from the future (a clock set back) does not block forever', async () => {
  writeFileSync(file, '');
  const future = Date.now() / 1000 + 3600;
  utimesSync(file, future, future);
  expect((await tryLock(file)).held).toBe(true);
});

test('a waiter gets the lock after its holder', async () => {
  const first = await tryLock(file);
  const second = waitForLock(file);
  expect(await Promise.race([second, Promise.resolve('waits')])).toBe('waits');
  if (first.held) first.lock.release();
  expect((await second).held).toBe(true);
});

test('a process that lives and has the lock is named; one that is gone, this one and one elsewhere are not', async () => {
  expect(livingHolder(file)).toBeUndefined();
  seizeLock(file);
  expect(livingHolder(file)).toBeUndefined();
  const mine = thisProcess();
  writeFileSync(file, JSON.stringify({ ...mine, pid: process.ppid, started: '' }));
  expect(livingHolder(file)?.pid).toBe(process.ppid);
  writeFileSync(file, JSON.stringify({ ...mine, pid: process.ppid, started: 'another time' }));
  expect(livingHolder(file)).toBeUndefined();
  writeFileSync(file, JSON.stringify({ ...mine, pid: process.ppid, started: '', host: 'elsewhere' }));
  expect(livingHolder(file)).toBeUndefined();
});
