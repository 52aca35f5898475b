import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/safe-json.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

test.skipIf(process.getuid?.() !== 0)('what may not be read is a finding that says so', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'charrette-permission-'));
  const target = path.join(place, 'bad');
  mkdirSync(path.join(target, 'phases'), { recursive: true });
  writeFileSync(path.join(target, 'SKILL.md'), '---\nname: bad\n---\n');
  for (const open of [place, target]) chmodSync(open, 0o755);
  chmodSync(path.join(target, 'SKILL.md'), 0o000);
  chmodSync(path.join(target, 'phases'), 0o000);
  // A user who is not root must be able to read the program.
  const program = path.join(place, 'program');
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(path.join(root, part), path.join(program, part), { recursive: true, dereference: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(program, 'node_modules'));
  const ended = spawnSync(
    process.execPath,
    [path.join(program, 'bin', 'charrette'), 'skill', 'lint', target, '--json'],
    { cwd: place, uid: 65534, gid: 65534, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } },
  );
  expect(ended.status, ended.stderr).toBe(6);
  expect(parseJson(ended.stdout, 'stdout')).toMatchObject({
    packages: [
      {
        findings: expect.arrayContaining([
          expect.objectContaining({ rule: 'IO001', message: expect.stringContaining('not permitted') }),
        ]),
      },
    ],
  });
  rmSync(place, { recursive: true, force: true });
});
