import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';

const project = mkdtempSync(path.join(tmpdir(), 'charrette-config-'));
mkdirSync(path.join(project, '.charrette'));
const planted = ['sk-planted-in-a-command', 'planted-behind-a-flag', 'planted-in-the-environment'];
writeFileSync(
  path.join(project, '.charrette', 'config.json'),
  JSON.stringify({
    author: 'own',
    agents: {
      own: {
        protocol: 'exec',
        command: ['own', planted[0], '--api-key', planted[1]],
        env: { OWN_API_KEY: planted[2], OWN_MODE: 'fast' },
      },
    },
  }),
);
afterAll(() => rmSync(project, { recursive: true, force: true }));

test('every setting is shown with its name, its value and its origin; the page of settings once had [secret] everywhere', async () => {
  const { exit, out } = await runCommandLine('config', '--json', '--cwd', project);
  expect(exit).toBe(0);
  const { origins, config } = JSON.parse(out);
  expect(origins).toContainEqual({ key: 'panel', value: 'diagonal', from: 'default' });
  expect(origins).toContainEqual({
    key: 'author',
    value: 'own',
    from: expect.stringContaining('config.json'),
  });
  expect(origins).toContainEqual({ key: 'databaseRetrySeconds', value: 300, from: 'default' });
  expect(origins).toContainEqual({ key: 'queue.keepDays', value: 30, from: 'default' });
  expect(config.panel).toBe('diagonal');
  expect((await runCommandLine('config', '--cwd', project)).out).toMatch(
    /^ {2}panel = "diagonal" +default$/m,
  );
});

test.each(['text', 'json', 'stream-json'])(
  'no key of a command or an environment is shown: %s',
  async (output) => {
    const { out } = await runCommandLine('config', '--output', output, '--cwd', project);
    expect(out).toContain('OWN_MODE');
    for (const key of planted) expect(out).not.toContain(key);
  },
);

test('--config was looked for from the top of the project, not from where the command was given', async () => {
  const folder = path.join(project, 'packages', 'one');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'own.json'), '{"panel": "wide"}');
  const { exit, out } = await runCommandLine('config', '--json', '--config', 'own.json', '--cwd', folder);
  expect([exit, JSON.parse(out).config?.panel]).toEqual([0, 'wide']);
});
