import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/live-program.ts';
import { systemPath } from '../support/optional-programs.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

/** A checkout with a fake npm that installs until a file `go` exists. */
function checkout(): string {
  const place = mkdtempSync(path.join(tmpdir(), 'charrette-setup-'));
  for (const folder of ['scripts', 'src', 'bin']) mkdirSync(path.join(place, folder));
  cpSync(path.join(root, 'scripts/setup.mjs'), path.join(place, 'scripts/setup.mjs'));
  writeFileSync(path.join(place, 'package.json'), '{}');
  writeFileSync(path.join(place, 'package-lock.json'), '{}');
  const alone = (name: string, ready: string) => `
mkdir ${name}-at-work || exit 3
echo ${name} >> done.txt
while [ ! -e go ]; do sleep 0.05; done
${ready}
rmdir ${name}-at-work
`;
  const node = path.join(place, 'node_modules/node/bin/node');
  const install = `mkdir -p ${path.dirname(node)} && printf '#!/bin/sh\\nexec sh "$@"\\n' > ${node} && chmod +x ${node}`;
  writeFileSync(path.join(place, 'bin/npm'), `#!/bin/sh\n${alone('install', install)}`, { mode: 0o755 });
  writeFileSync(path.join(place, 'scripts/build.mjs'), alone('build', 'mkdir -p dist && touch dist/main.js'));
  return place;
}

function start(place: string) {
  const child = spawn(process.execPath, ['scripts/setup.mjs'], {
    cwd: place,
    env: { PATH: `${path.join(place, 'bin')}:${systemPath}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(child, 'close').then(([exit]: unknown[]) => ({ exit, said }));
  return { said: () => said, ended };
}

const go = (place: string) => writeFileSync(path.join(place, 'go'), '');
const deeds = (place: string) => readFileSync(path.join(place, 'done.txt'), 'utf8').trim().split('\n');

test('commands that find the same checkout changed set it up once, one after the other', async () => {
  const place = checkout();
  const commands = [start(place), start(place), start(place)];
  await until(() => commands.some(({ said }) => said().includes('Another command sets this checkout up')));
  go(place);
  const ended = await Promise.all(commands.map((command) => command.ended));
  expect(ended.map(({ exit }) => exit)).toEqual([0, 0, 0]);
  expect(deeds(place)).toEqual(['install', 'build']);
  writeFileSync(path.join(place, 'src/main.ts'), '');
  await Promise.all([start(place).ended, start(place).ended]);
  expect(deeds(place)).toEqual(['install', 'build', 'build']);
});

test('a killed command blocks no other', async () => {
  const place = checkout();
  go(place);
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  symlinkSync(String(child.pid), path.join(place, '.setup-lock'));
  expect(await start(place).ended).toMatchObject({ exit: 0 });
  expect(deeds(place)).toEqual(['install', 'build']);
  expect(existsSync(path.join(place, '.setup-lock'))).toBe(false);
});
