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
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..', '..');

/** A checkout whose dependencies are installed by a stand-in for npm, and whose build takes a moment. */
function checkout(): string {
  const place = mkdtempSync(path.join(tmpdir(), 'charrette-setup-'));
  for (const folder of ['scripts', 'src', 'bin']) mkdirSync(path.join(place, folder));
  cpSync(path.join(root, 'scripts/setup.mjs'), path.join(place, 'scripts/setup.mjs'));
  writeFileSync(path.join(place, 'package.json'), '{}');
  writeFileSync(path.join(place, 'package-lock.json'), '{}');
  const alone = (name: string, ready: string) => `
mkdir ${name}-at-work || exit 3
echo ${name} >> done.txt
sleep 0.5
${ready}
rmdir ${name}-at-work
`;
  const node = path.join(place, 'node_modules/node/bin/node');
  const install = `mkdir -p ${path.dirname(node)} && printf '#!/bin/sh\\nexec sh "$@"\\n' > ${node} && chmod +x ${node}`;
  writeFileSync(path.join(place, 'bin/npm'), `#!/bin/sh\n${alone('install', install)}`, { mode: 0o755 });
  writeFileSync(path.join(place, 'scripts/build.mjs'), alone('build', 'mkdir -p dist && touch dist/main.js'));
  return place;
}

async function setUp(place: string): Promise<{ exit: unknown; said: string }> {
  const child = spawn(process.execPath, ['scripts/setup.mjs'], {
    cwd: place,
    env: { PATH: `${path.join(place, 'bin')}:/usr/bin:/bin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [exit]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { exit, said };
}

const deeds = (place: string) => readFileSync(path.join(place, 'done.txt'), 'utf8').trim().split('\n');

test('commands that find the same checkout changed set it up once, one after the other', async () => {
  const place = checkout();
  const ended = await Promise.all([setUp(place), setUp(place), setUp(place)]);
  expect(ended.map(({ exit }) => exit)).toEqual([0, 0, 0]);
  expect(deeds(place)).toEqual(['install', 'build']);
  expect(ended.map(({ said }) => said).join('')).toContain('Another command sets this checkout up');
  writeFileSync(path.join(place, 'src/main.ts'), '');
  await Promise.all([setUp(place), setUp(place)]);
  expect(deeds(place)).toEqual(['install', 'build', 'build']);
});

test('a command that was killed keeps nobody waiting', async () => {
  const place = checkout();
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  symlinkSync(String(child.pid), path.join(place, '.setup-lock'));
  expect(await setUp(place)).toMatchObject({ exit: 0 });
  expect(deeds(place)).toEqual(['install', 'build']);
  expect(existsSync(path.join(place, '.setup-lock'))).toBe(false);
});
