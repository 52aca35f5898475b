import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseJson } from '../../src/base/safe-json.ts';
import { clearAway } from '../clear-away.ts';
import { optionalProgram, systemPath } from '../support/optional-programs.ts';
import { program } from '../support/program.ts';

/** Root reads every file unless it drops its privileges; it stays root, so it can reach a checkout in a private folder. */
const isRoot = process.getuid?.() === 0;
const setpriv = isRoot ? optionalProgram('setpriv') : undefined;
const unprivileged =
  setpriv === undefined ? [] : [setpriv, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];

test.skipIf(isRoot && setpriv === undefined)('what may not be read is a finding that says so', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'charrette-permission-'));
  onTestFinished(() => {
    chmodSync(phases, 0o700);
    clearAway(place);
  });
  const target = path.join(place, 'bad');
  const phases = path.join(target, 'phases');
  mkdirSync(phases, { recursive: true });
  writeFileSync(path.join(target, 'SKILL.md'), '---\nname: bad\n---\n');
  chmodSync(path.join(target, 'SKILL.md'), 0o000);
  chmodSync(phases, 0o000);
  const [first = '', ...words] = [
    ...unprivileged,
    ...[process.execPath, program, 'skill', 'lint', target, '--json'],
  ];
  const ended = spawnSync(first, words, {
    cwd: place,
    encoding: 'utf8',
    env: { PATH: systemPath, HOME: place },
  });
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
});
