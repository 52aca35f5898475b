import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readTextOnce } from './read-once.ts';

let place: string;
beforeAll(() => {
  place = mkdtempSync(path.join(tmpdir(), 'charrette-read-once-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** A named pipe, and a program that writes to it. */
function pipe(name: string, script: string): string {
  const file = path.join(place, name);
  execFileSync('mkfifo', [file]);
  const writer = spawn(
    process.execPath,
    [
      '-e',
      `const fd = require('fs').openSync(${JSON.stringify(file)}, 'w'); const say = (text) => require('fs').writeSync(fd, text); ${script}`,
    ],
    { stdio: 'ignore' },
  );
  onTestFinished(() => void writer.kill('SIGKILL'));
  return file;
}

test('a pipe is read until its writer is done, also when it comes late and in pieces', async () => {
  const file = pipe('pieces', `setTimeout(() => { say('ä'); setTimeout(() => say('b'), 100); }, 200);`);
  expect(await readTextOnce(file)).toBe('äb');
});

test('a pipe that gives too much, or nothing and stays open, ends in a sentence', async () => {
  const much = pipe('much', `for (;;) say('x'.repeat(1000));`);
  await expect(readTextOnce(much, { bytes: 5000 })).rejects.toMatchObject({ code: 'file-too-large' });
  const quiet = pipe('quiet', 'setInterval(() => {}, 1000);');
  await expect(readTextOnce(quiet, { silenceMs: 300 })).rejects.toMatchObject({ code: 'timed-out' });
});

test('files are read as ever, with what they may not be', async () => {
  const file = path.join(place, 'file');
  writeFileSync(file, 'text');
  expect(await readTextOnce(file)).toBe('text');
  await expect(readTextOnce(file, { bytes: 3 })).rejects.toMatchObject({ code: 'file-too-large' });
  expect(await readTextOnce(path.join(place, 'none'))).toBeUndefined();
  for (const other of [place, '/dev/null'])
    await expect(readTextOnce(other)).rejects.toMatchObject({ code: 'not-found' });
});
