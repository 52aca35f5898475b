import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { faultOf, searchPathFor } from '../support/optional-programs.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

function standIn(lines: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-fake-')), 'program');
  writeFileSync(file, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return file;
}

test.each([
  ['works', 'echo "program 1.0"', 60_000, undefined],
  ['fails', 'echo "program 1.0"; exit 1', 60_000, 'exited with 1'],
  ['prints garbage', "printf '\\377{]'", 60_000, 'printed something unexpected'],
  ['hangs and ignores SIGTERM', "trap '' TERM\nexec sleep 86400", 500, expect.stringContaining('SIGKILL')],
])('an optional program that %s', (_, lines, limit, fault) => {
  expect(faultOf(standIn(lines), ['--version'], /^program /, limit)).toEqual(fault);
});

test('an optional program that cannot be started', () => {
  expect(faultOf('/nonexistent/program', [], /./)).toContain('ENOENT');
});

test('children of tests find the programs of the system, or those of a PATH that hides it', () => {
  const node = path.dirname(process.execPath);
  expect(searchPathFor('/home/me/agents:/usr/bin')).toBe(`${node}:/usr/bin:/bin`);
  expect(searchPathFor('/home/me/bare:relative')).toBe(`${node}:/home/me/bare`);
});

test.each([
  [['--broken', 'sometimes'], /--broken is "sometimes"; use one of: fails, garbage, hangs/],
  [['--user', 'no-such-user'], process.getuid?.() === 0 ? /No user "no-such-user"/ : /--user requires root/],
  [['--brokn'], /--brokn/],
])('test:bare refuses %j before it makes anything', (words, reason) => {
  const ended = spawnSync(process.execPath, [path.join(root, 'scripts/test-bare.mjs'), ...words], {
    encoding: 'utf8',
    env: { PATH: searchPathFor(process.env['PATH'] ?? ''), HOME: tmpdir() },
  });
  expect(ended.stderr).toMatch(reason);
  expect([ended.status, ended.stdout]).toEqual([2, '']);
});
