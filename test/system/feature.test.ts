import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/safe-json.ts';
import { charrette, runsOf } from '../support/program.ts';

const agent = path.resolve(import.meta.dirname, '../agents/feature-agent.mjs');

function makeProject(mode = 'well'): string {
  const project = mkdtempSync(path.join(tmpdir(), 'charrette-feature-'));
  mkdirSync(path.join(project, '.git'));
  const agents = { writer: { protocol: 'exec', command: ['node', agent, mode], family: 'mine' } };
  writeFileSync(path.join(project, 'charrette.config.json'), JSON.stringify({ detect: false, agents }));
  writeFileSync(path.join(project, 'about.md'), 'Search by tag\n');
  return project;
}

const run = (cwd: string, ...words: string[]) => charrette(words, { cwd });
const stateOf = (project: string) =>
  parseJson(readFileSync(path.join(project, 'docs/features/001-search/.meta.json'), 'utf8'), 'state');

test('T-119, T-131: written, reviewed, revised, completed, phase by phase', async () => {
  const project = makeProject();
  await run(project, 'feature', 'new', 'Search');
  expect((await run(project, 'feature', 'plan', '--yes')).code).toBe(4);
  for (const words of [['specify', '--about', 'about.md'], ['design']]) {
    const { code, stderr } = await run(project, 'feature', ...words, '--yes');
    expect(code, stderr).toBe(0);
  }
  const iterations = { iterations: 4, reviewerNotes: [] };
  expect(stateOf(project)).toMatchObject({
    lastCompletedPhase: 'design',
    phases: { specify: iterations, design: iterations },
  });
  const history = readFileSync(path.join(project, 'docs/features/001-search/.review-history.md'), 'utf8');
  expect(history.match(/^## /gm)).toHaveLength(8);
  expect(history).not.toContain('LAZY-LOAD-WARNING');
  expect((await run(project, 'feature', 'specify')).code).toBe(2);
}, 240_000);

test('T-120: at the cap the phase is completed with what is open, and not accepted', async () => {
  const project = makeProject('never');
  await run(project, 'feature', 'new', 'Search');
  const { code } = await run(project, 'feature', 'specify', '--about', 'about.md', '--yes');
  expect(code).toBe(6);
  expect(stateOf(project)).toMatchObject({
    phases: {
      specify: { iterations: 10, reviewerNotes: [{ severity: 'blocker', description: 'R1.1 is vague' }] },
    },
  });
});

test('an agent that fails is named and nothing is half written', async () => {
  const project = makeProject('fail');
  await run(project, 'feature', 'new', 'Search');
  const { code, stderr } = await run(project, 'feature', 'specify', '--about', 'about.md', '--yes');
  expect([code, stderr]).toEqual([1, expect.stringContaining('told to fail')]);
  expect((await run(project, 'feature', 'status', '--feature', '001')).stdout).toContain(
    'spec.md       level 0',
  );
});

test('without consent the run waits for it and goes on when it is given', async () => {
  const project = makeProject();
  await run(project, 'feature', 'new', 'Search');
  const paused = await run(project, 'feature', 'specify', '--about', 'about.md');
  expect([paused.code, paused.stderr]).toEqual([7, expect.stringContaining('May writer be called')]);
  const [id = ''] = runsOf(project);
  const { code, stderr } = await run(project, 'answer', id, 'consent=yes');
  expect(code, stderr).toBe(0);
  expect(stateOf(project)).toMatchObject({ lastCompletedPhase: 'specify' });
});
