import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';

const shipped = path.resolve(import.meta.dirname, '../../..', 'skills');
let project: string;

beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'charrette-skill-mode-'));
  const agent = { protocol: 'exec', command: [process.execPath, '-e', '0'], family: 'mine' };
  writeFileSync(
    path.join(project, 'charrette.config.json'),
    JSON.stringify({ detect: false, agents: { mine: agent } }),
  );
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const run = (skill: string, ...words: string[]) =>
  runCommandLine('skill', 'run', path.join(shipped, skill), 'a task', '--cwd', project, ...words);

test.each([
  ['lite-plan', /^lite-plan has no mode "nonsense"; it has /],
  ['plan', /^plan has no mode "nonsense"; it is a pipeline, which runs all its phases\.$/],
])(
  'P-001 a mode that %s does not have is refused before a run is made, dry or not',
  async (skill, message) => {
    for (const more of [['--dry-run'], ['--yes']]) {
      const refused = await run(skill, '--mode', 'nonsense', '--json', ...more);
      expect(refused.exit).toBe(2);
      expect(parseJson(refused.out, 'stdout')).toMatchObject({
        error: { code: 'usage', message: expect.stringMatching(message) },
      });
    }
    expect(existsSync(path.join(project, '.charrette', 'runs'))).toBe(false);
  },
);

test('a dry run lists the phases of its mode, with those that they hand over to', async () => {
  const phases = async (...words: string[]) =>
    [...(await run('lite-plan', '--dry-run', ...words)).out.matchAll(/^ {2}(\d+) /gm)].map(
      ([, number]) => number,
    );
  expect(await phases('--mode', 'workflow:lite-execute')).toEqual(['2']);
  expect(await phases()).toEqual(['1', '2']);
});

test.each(['bad name', 'a-b', 'two more words'])('skill new takes no data called %j', async (name) => {
  const words = ['skill', 'new', 'demo-x', '--cwd', project, '-y', '--phases', 'A, B'];
  const refused = await runCommandLine(...words, '--data', `1>2: fine, ${name}`);
  expect(refused).toMatchObject({
    exit: 2,
    err: expect.stringContaining(`${JSON.stringify(name)} is not a valid name`),
  });
  expect(existsSync(path.join(project, '.claude'))).toBe(false);
});

test('answers that no question of a package has are named with those that there are', async () => {
  const file = path.join(project, 'answers.json');
  writeFileSync(file, JSON.stringify({ autoYes: 'Auto', 'preference-forceExplore': 'Auto-detect' }));
  const said = async (...words: string[]) =>
    (await run('lite-plan', '--dry-run', '--answers', file, ...words)).err;
  expect(await said()).toBe(
    'No question of this run takes autoYes. Its questions: preference-autoYes, preference-forceExplore.\n',
  );
  expect(await said('--yes')).toMatch(
    /takes autoYes, preference-forceExplore\. With --yes it asks nothing\.\n$/,
  );
  expect(await said('--quiet')).toBe('');
  writeFileSync(file, JSON.stringify({ 'preference-autoYes': 'Auto' }));
  expect(await said()).toBe('');
});
