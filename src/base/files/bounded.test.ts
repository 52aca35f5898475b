import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readTextOnce } from './bounded.ts';

let place: string;
beforeAll(() => {
  place = mkdtempSync(path.join(tmpdir(), 'charrette-read-once-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const never = new AbortController().signal;

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
  expect(await readTextOnce(file, never)).toBe('äb');
});

test('a pipe that gives too much, or nothing and stays open, ends in a sentence', async () => {
  const much = pipe('much', `for (;;) say('x'.repeat(1000));`);
  await expect(readTextOnce(much, never, { bytes: 5000 })).rejects.toMatchObject({ code: 'file-too-large' });
  const quiet = pipe('quiet', 'setInterval(() => {}, 1000);');
  await expect(readTextOnce(quiet, never, { silenceMs: 300 })).rejects.toMatchObject({ code: 'usage' });
});

test('a silent pipe held up Ctrl-C and --timeout until its writer was done', async () => {
  const quiet = pipe('stopped', 'setInterval(() => {}, 1000);');
  const controller = new AbortController();
  const reading = readTextOnce(quiet, controller.signal);
  setTimeout(() => controller.abort('SIGINT'), 200);
  await expect(reading).rejects.toBe('SIGINT');
  await expect(readTextOnce(quiet, controller.signal)).rejects.toBe('SIGINT');
});

test('files are read as ever, with what they may not be', async () => {
  const file = path.join(place, 'file');
  writeFileSync(file, 'text');
  expect(await readTextOnce(file, never)).toBe('text');
  await expect(readTextOnce(file, never, { bytes: 3 })).rejects.toMatchObject({ code: 'file-too-large' });
  expect(await readTextOnce(path.join(place, 'none'), never)).toBeUndefined();
  for (const other of [place, '/dev/null'])
    await expect(readTextOnce(other, never)).rejects.toMatchObject({ code: 'not-found' });
});
