import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { artifactsOf, callsIn, charrette, type Ended, makeProject, runsOf } from '../support/program.ts';

let project: string;
let run: string;
let ended: Ended;
let calls: string[];
let artifacts: Record<string, string>;
const prompt = (lane: string) =>
  (
    JSON.parse(readFileSync(path.join(project, '.charrette/runs', run, 'lanes', `${lane}.json`), 'utf8')) as {
      prompt: string;
    }
  ).prompt;

function withAnswers(place: string): string {
  writeFileSync(path.join(place, 'answers.json'), '{}');
  return place;
}

/** A run with questions, of two agents, answered beforehand where the questions are known and by recommendation elsewhere. */
beforeAll(async () => {
  const made = await makeProject({ mode: 'asks' });
  ({ project } = made);
  writeFileSync(path.join(project, 'answers.json'), JSON.stringify({ 'clarify-1-per-what': 'per account' }));
  ended = await charrette(
    ['design', '--yes', '--no-branch', '--answers', 'answers.json', 'add rate limiting'],
    { cwd: project },
  );
  [run = ''] = runsOf(project);
  artifacts = artifactsOf(project, run);
  calls = callsIn(made.calls);
});

test('L-173: an answer is saved in a file and part of the feature in every later step', () => {
  expect(ended.code).toBe(0);
  expect(artifacts['clarifications.md']).toContain('- **Resolution**: per account');
  for (const lane of ['plan', 'synthesis', 'discussion-1'])
    expect(prompt(lane), lane).toContain('per account');
  const sketch = calls.find((call) => call.startsWith('sketch '))?.split(' ')[1] ?? '';
  expect(prompt(sketch)).toContain('per account');
});

test('L-174, L-175: round one asks what the code leaves open and reports what it settles', () => {
  expect(ended.stderr).toContain('> **🔶 1d: discussion r1**');
  expect(ended.stderr).toContain('✅ 1d: discussion r1 — 2 decisions resolved');
  const text = artifacts['discussion-round1.md'] ?? '';
  expect(text).toContain('- **Resolution**: the small scope\n- **Source**: user');
  expect(text).toContain('- **Resolution**: README.md:1 says one.\n- **Source**: codebase');
});

test('L-175, L-047: what was settled, also from the code, is printed without a caller', () => {
  expect(ended.stdout).toContain('## Scope Decisions');
  expect(ended.stdout).toContain('README.md:1 says one.');
});

test.each([
  ['questions', '1c: questions'],
  ['discussion-1', '1d: discussion r1'],
])(
  'L-172, L-177: %s without an answer does not count as "nothing to ask"',
  async (failTask, step) => {
    const made = await makeProject({ mode: 'asks', failTask });
    const failing = await charrette(
      ['design', '--yes', '--no-branch', '--answers', 'answers.json', 'add rate limiting'],
      { cwd: withAnswers(made.project) },
    );
    expect(failing.stderr).toContain(`⏩ ${step} — skipped (no agent gave a usable answer)`);
    expect(failing.stderr).toContain(`Author (${failTask}) failed — `);
  },
  180_000,
);

test('L-721, L-722: round two knows the plan, the accepted findings and the resolutions as their files have them', () => {
  const second = prompt('discussion-2');
  expect(second).toContain('The limit comes from the configuration.');
  for (const name of ['accepted-plan-findings.md', 'dialectic-resolutions.md']) {
    const lines = (artifacts[name] ?? '').split('\n').filter((line) => line !== '');
    expect(lines.length, name).toBeGreaterThan(1);
    for (const line of lines) expect(second).toContain(line);
  }
  // L-722: a vote without dissent is settled.
  expect(second).not.toContain('Open because');
});

test('panel/C-37: a plan that a discussion changed after its review says so', async () => {
  const summary = JSON.parse(artifacts['design-summary.json'] ?? '') as { revised_after_review: boolean };
  expect(artifacts['plan.txt']).toContain('It stays small.');
  expect(summary.revised_after_review).toBe(true);
  expect(ended.stderr.slice(ended.stderr.indexOf('5: cleanup'))).toContain('after its review');
});

test('panel/C-22: with one debater missing, the other layout is proposed and used', () => {
  expect(ended.stderr).toContain('? debate-layout: Only one debater is available.');
  expect(artifacts['dialectic-resolutions.md']).toContain('**Disposition**: voted');
});

test('L-178: asks at most three questions before the work begins and defers the rest in one line', async () => {
  const made = await makeProject({ mode: 'asks-much' });
  const many = await charrette(
    ['design', '--yes', '--no-branch', '--quick', '--answers', 'answers.json', 'add rate limiting'],
    { cwd: withAnswers(made.project) },
  );
  expect(many.code).toBe(0);
  const asked = [...many.stderr.matchAll(/^\? (clarify|discuss-1)-/gm)].map(([, step]) => step);
  expect(asked).toEqual(['clarify', 'clarify', 'discuss-1']);
  expect(many.stderr + many.stdout).toContain('Remaining scope questions deferred to implementation.');
});

test('L-182: answers that are missing pause the run instead of being made up', async () => {
  const made = await makeProject({ mode: 'asks' });
  writeFileSync(path.join(made.project, 'answers.json'), '{"consent": "yes", "debate-layout": "bucket"}');
  const paused = await charrette(
    ['design', '--no-branch', '--json', '--answers', 'answers.json', 'add rate limiting'],
    { cwd: made.project },
  );
  expect(paused.code).toBe(7);
  const { questions } = JSON.parse(paused.stdout) as { questions: { id: string; recommended: string }[] };
  expect(questions).toMatchObject([
    { id: 'clarify-1-per-what', recommended: 'per client', detail: 'Options:\n- per client\n- per account' },
  ]);
  const alone = await charrette(['design', '--yes', '--no-branch', '--solo', '--agents', 'static', 'x'], {
    cwd: made.project,
  });
  expect(alone.code).toBe(0);
  expect(alone.stderr).toContain('**⚠ No terminal: questions and discussions are skipped as with --auto');
});
