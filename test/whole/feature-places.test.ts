import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  directoryOf,
  git,
  makeProject,
  readOf,
  run,
  stateOf,
  writtenProject,
} from '../support/feature-project.ts';
import { makeLiteProject } from '../support/lite-project.ts';
import { charrette, makeProject as makeShop, runsOf } from '../support/program.ts';

const specify = ['feature', 'specify', '--about', 'about.md', '--yes'];
const marker = () => path.join(mkdtempSync(path.join(tmpdir(), 'marker-')), 'go');

/** A project whose specification waits for its first revision, after a call that failed. */
async function failedProject(): Promise<{ project: string; id: string; spec: string }> {
  const project = makeProject('fail-once', marker(), 'feature-spec-revision');
  await run(project, 'feature', 'new', 'Search');
  expect((await run(project, ...specify, '--max', '2')).code).toBe(1);
  return { project, id: runsOf(project)[0] ?? '', spec: readOf(project, 'spec.md') };
}

const lanesOf = (project: string, id: string) =>
  readdirSync(path.join(project, '.charrette/runs', id, 'lanes'));

test('a run resumed in a copy of its project does not change the original', async () => {
  const { project, id, spec } = await failedProject();
  const state = readOf(project, '.meta.json');
  const lanes = lanesOf(project, id);
  const copy = `${project}-copy`;
  cpSync(project, copy, { recursive: true, verbatimSymlinks: true });
  const resumed = await run(copy, 'resume', id);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(stateOf(copy)).toMatchObject({ lastCompletedPhase: 'specify' });
  expect(readOf(copy, 'spec.md')).toContain('Revision 1.');
  expect([readOf(project, 'spec.md'), readOf(project, '.meta.json')]).toEqual([spec, state]);
  expect(existsSync(path.join(directoryOf(project), '.review-history.md'))).toBe(false);
  // No finished call is made again, and none is sent to the original.
  const prompts = lanesOf(copy, id).filter((name) => !lanes.includes(name) && !name.endsWith('.json'));
  expect(prompts.filter((name) => name.startsWith('write-spec-first-draft'))).toEqual([]);
  for (const name of prompts) {
    const prompt = readFileSync(path.join(copy, '.charrette/runs', id, 'lanes', name, 'prompt.md'), 'utf8');
    expect(prompt.includes(`${project}/`), name).toBe(false);
  }
});

test('a run continues after its project was renamed, also when it started through a link', async () => {
  const { project, id } = await failedProject();
  const renamed = `${project}-renamed`;
  renameSync(project, renamed);
  const resumed = await run(renamed, 'resume', id);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect([stateOf(renamed), existsSync(project)]).toMatchObject([{ lastCompletedPhase: 'specify' }, false]);

  const real = makeProject('fail-once', marker(), 'feature-spec-revision');
  const link = `${real}-link`;
  symlinkSync(real, link);
  await run(real, 'feature', 'new', 'Search');
  const named = ['--cwd', real, '--feature', path.join(link, 'docs/features/001-search')];
  expect((await run(real, ...specify, '--max', '2', ...named)).code).toBe(1);
  const copy = `${real}-copy`;
  cpSync(real, copy, { recursive: true, verbatimSymlinks: true });
  const again = await run(copy, 'resume', runsOf(copy)[0] ?? '');
  expect(again.code, again.stderr).toBe(0);
  expect([stateOf(copy), stateOf(real)]).toMatchObject([
    { lastCompletedPhase: 'specify' },
    { lastCompletedPhase: null },
  ]);
});

test.each([
  ['design', async () => (await makeShop()).project, ['--auto', '--quick', 'add rate limiting'], []],
  ['lite-execute', async () => makeLiteProject().project, ['add numbers'], ['auto-mode=auto']],
])(
  '%s also continues in a copy of its project, and needs nothing of the original',
  async (name, make, words, answers) => {
    const project = await make();
    expect((await run(project, name, ...words)).code).toBe(7);
    const copy = `${project}-copy`;
    cpSync(project, copy, { recursive: true, verbatimSymlinks: true });
    renameSync(project, `${project}-away`);
    const id = runsOf(copy)[0] ?? '';
    let ended = await run(copy, 'answer', id, 'consent=yes');
    for (const answer of answers) ended = await run(copy, 'answer', id, answer);
    expect(ended.code, ended.stderr).toBe(0);
    expect(existsSync(project)).toBe(false);
  },
);

test('T-120: what the first reviewer leaves open is in the state, although the second approves', async () => {
  const project = makeProject('domain-never');
  await run(project, 'feature', 'new', 'Search');
  const { code, stderr } = await run(project, ...specify, '--max', '2');
  expect(code, stderr).toBe(6);
  expect(stateOf(project)).toMatchObject({
    phases: { specify: { reviewerNotes: [{ severity: 'blocker', description: 'R1.1 is vague' }] } },
  });
});

test.each([
  ['specify', ['--about', 'about.md']],
  ['plan', ['--combined']],
])('T-075, T-076, lean/C-23: %s records reviews whose answer cannot be read', async (phase, more) => {
  const project = phase === 'specify' ? makeProject('prose') : await writtenProject('prose');
  if (phase === 'specify') await run(project, 'feature', 'new', 'Search');
  const { code, stderr } = await run(project, 'feature', phase, ...more, '--yes', '--max', '1');
  expect(code, stderr).toBe(6);
  const history = readOf(project, '.review-history.md');
  expect(history).toMatch(/^\*\*Reviewer verdict:\*\* rejected \(.+\)$/m);
  expect((await run(project, 'feature', 'issues')).stdout).toMatch(/reviewer rejected, gate fail \(.+\)/);
});

test('§2B: a light feature goes from its specification to code, and is finished only with it', async () => {
  const project = makeProject();
  await run(project, 'feature', 'new', 'Search', '--mode', 'light');
  const words = ['--yes', '--no-simplify', '--no-tests'];
  expect((await run(project, ...specify)).code).toBe(0);
  const { code, stderr } = await run(project, 'feature', 'implement', ...words, '--no-merge');
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('refers to no section');
  expect(readOf(project, 'tasks.md')).toContain('### Task 1: ');
  const { branch, tip } = (stateOf(project) as Record<string, unknown>)['implementation'] as {
    branch: string;
    tip: string;
  };
  expect(git(project, 'rev-parse', branch)).toBe(tip);
  const refused = await run(project, 'feature', 'finish', '--no-checks');
  expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining(`git merge ${branch}`)]);
  git(project, 'merge', '--quiet', branch);
  const finished = await run(project, 'feature', 'finish', '--no-checks');
  expect(finished.code, finished.stderr).toBe(0);
  expect(existsSync(path.join(project, 'src/task-1.js'))).toBe(true);
});

test('P-021, P-022: specs of the home folder reach the authors', async () => {
  const project = makeProject();
  const home = mkdtempSync(path.join(tmpdir(), 'home-'));
  mkdirSync(path.join(home, '.ccw/personal'), { recursive: true });
  const spec = '---\nreadMode: required\n---\nUse tabs at home.\n';
  writeFileSync(path.join(home, '.ccw/personal/mine.md'), spec);
  const dryRun = async (...words: string[]) => {
    const ended = await charrette(words, { cwd: project, env: { HOME: home } });
    expect([ended.code, ended.stdout], ended.stderr).toEqual([
      0,
      expect.stringContaining('Use tabs at home.'),
    ]);
  };
  await dryRun('design', '--auto', '--dry-run', '--json', 'Search by tag');
  await dryRun('lite-plan', '--yes', '--dry-run', '--json', 'Search by tag');
  await run(project, 'feature', 'new', 'Search');
  await dryRun(...specify, '--dry-run', '--json');
});
