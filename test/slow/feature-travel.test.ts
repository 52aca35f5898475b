import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/base/safe-json.ts';
import {
  directoryOf,
  git,
  makeProject,
  readOf,
  run,
  stateOf,
  writtenProject,
} from '../support/feature-project.ts';
import { runsOf } from '../support/program.ts';

const marker = () => path.join(mkdtempSync(path.join(tmpdir(), 'marker-')), 'seen');
const promptOf = (project: string, id: string, lane: string) =>
  readFileSync(path.join(project, '.charrette/runs', id, 'lanes', lane, 'prompt.md'), 'utf8');

test('§2F: a reviewer of the design sends the feature back to its specification, and it comes again from there', async () => {
  const project = makeProject('backward', marker(), 'design-phase-reviewer');
  await run(project, 'feature', 'new', 'Search');
  await run(project, 'feature', 'specify', '--about', 'about.md', '--yes');
  const back = await run(project, 'feature', 'design', '--yes', '--no-research');
  expect([back.code, back.stderr + back.stdout]).toEqual([
    6,
    expect.stringContaining('design: goes back to specify'),
  ]);
  expect(stateOf(project)).toMatchObject({
    lastCompletedPhase: null,
    backward_context: { target_phase: 'specify', findings: [{ issue: 'R1.1 has no limit' }] },
    backward_return_target: 'design',
  });
  expect(readOf(project, '.review-history.md')).toContain('**Changes Made:**\nWent back to specify\n');
  const status = await run(project, 'feature', 'status', '--feature', '001');
  expect(status.stdout).toContain('Went back to specify, on the way to design: the limit is missing');

  // No --yes is needed: everybody knows why the phase comes again.
  const again = await run(project, 'feature', 'specify');
  expect(again.code, again.stderr).toBe(7);
  const id = runsOf(project).at(-1) ?? '';
  const specified = await run(project, 'answer', id, 'consent=yes');
  expect(specified.code, specified.stderr).toBe(0);
  expect(promptOf(project, id, 'write-spec-revision-for-design-1')).toContain(
    '- [blocker] R1.1 has no limit (at: spec.md, R1.1) Suggestion: say 100',
  );
  expect(stateOf(project)).toMatchObject({ lastCompletedPhase: 'specify', backward_return_target: 'design' });
  const designed = await run(project, 'feature', 'design', '--yes', '--no-research');
  expect(designed.code, designed.stderr).toBe(0);
  const state = stateOf(project) as Record<string, unknown>;
  expect(state).toMatchObject({
    lastCompletedPhase: 'design',
    backward_trips: [{ from: 'design', to: 'specify' }],
  });
  expect(state).not.toHaveProperty('backward_return_target');
  expect(state).not.toHaveProperty('backward_context');
});

test('§2F: the user may stay; after two returns without progress there are no more', async () => {
  const project = await writtenProject('backward-always', '-', 'design-design-reviewer');
  const file = path.join(directoryOf(project), '.meta.json');
  const asked = await run(project, 'feature', 'design', '--max', '1', '--no-research');
  expect(asked.code).toBe(2);
  const state = stateOf(project) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...state, lastCompletedPhase: 'specify' }));
  expect((await run(project, 'feature', 'design', '--max', '1')).code).toBe(7);
  const id = runsOf(project).at(-1) ?? '';
  const question = await run(project, 'answer', id, 'consent=yes');
  expect([question.code, question.stderr]).toEqual([
    7,
    expect.stringContaining('finds the fault in specify. Go back?'),
  ]);
  const stayed = await run(project, 'answer', id, 'backward-design-design-reviewer-1=stay');
  expect(stayed.code, stayed.stderr).toBe(6);
  expect(stateOf(project)).toMatchObject({ lastCompletedPhase: 'design' });
  expect(stateOf(project)).not.toHaveProperty('backward_trips');

  const trip = { from: 'design', to: 'specify', issues: 1, time: 't' };
  const trips = { lastCompletedPhase: 'specify', backward_trips: [trip, trip] };
  writeFileSync(file, JSON.stringify({ ...state, ...trips }));
  const parted = await run(project, 'feature', 'design', '--max', '1', '--yes');
  expect([parted.code, parted.stderr]).toEqual([
    6,
    expect.stringContaining('2 travels to specify have not helped (1 issues then, 1 now)'),
  ]);
  expect(stateOf(project)).toMatchObject({ lastCompletedPhase: 'design', backward_trips: [trip, trip] });
});

test('§2F: from the code back to the specification; what was written stays on its branch', async () => {
  const project = await writtenProject('backward', marker(), 'implement-implementation-reviewer');
  const { code, stderr } = await run(project, 'feature', 'implement', '--yes', '--no-simplify', '--no-tests');
  expect([code, stderr]).toEqual([6, expect.stringContaining('implement: goes back to specify')]);
  expect(stateOf(project)).toMatchObject({ backward_return_target: 'implement', lastCompletedPhase: null });
  expect(git(project, 'log', '--format=%s', 'main')).toBe('Begin');
  const [branch = ''] = git(
    project,
    'for-each-ref',
    '--format=%(refname:short)',
    'refs/heads/charrette',
  ).split('\n');
  expect(git(project, 'log', '--format=%s', branch).split('\n')).toHaveLength(4);
  expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
});

test('T-091, T-092, T-096, §2C: --commit commits each revision and the completed phase, and nothing else that is staged', async () => {
  const project = makeProject();
  await run(project, 'feature', 'new', 'Search');
  writeFileSync(path.join(project, 'mine.txt'), 'mine\n');
  git(project, 'add', 'mine.txt');
  git(project, 'config', 'user.name', 'Ann');
  git(project, 'config', 'user.email', 'ann@example.com');
  const { code, stderr } = await run(
    project,
    'feature',
    'specify',
    '--about',
    'about.md',
    '--yes',
    '--commit',
  );
  expect(code, stderr).toBe(0);
  expect(git(project, 'log', '--format=%s').split('\n')).toEqual([
    'phase(specify): search - approved',
    // The second revision says the same as the first: NO_CHANGES neither commits nor fails.
    'charrette: specify review iteration 1',
    'Begin',
  ]);
  expect(git(project, 'diff', '--cached', '--name-only')).toBe('mine.txt');
  expect(git(project, 'show', '--format=', '--name-only', 'HEAD~1').split('\n')).toEqual([
    'docs/features/001-search/spec.md',
  ]);
  expect(git(project, 'show', '--format=', '--name-only', 'HEAD').split('\n').sort()).toEqual([
    'docs/features/001-search/.meta.json',
    'docs/features/001-search/.review-history.md',
  ]);
  expect(git(project, 'show', 'HEAD:docs/features/001-search/.meta.json')).toContain(
    '"lastCompletedPhase": "specify"',
  );
});

test('§2C: a failed commit blocks the completion, and the run continues once the cause is fixed', async () => {
  const project = makeProject();
  await run(project, 'feature', 'new', 'Search');
  git(project, 'config', 'user.name', 'Ann');
  git(project, 'config', 'user.email', 'ann@example.com');
  const hook = path.join(project, '.git/hooks/commit-msg');
  writeFileSync(
    hook,
    '#!/bin/sh\ngrep -q "^phase" "$1" && { echo "no phases on Mondays" >&2; exit 1; }\nexit 0\n',
    {
      mode: 0o755,
    },
  );
  const refused = await run(project, 'feature', 'specify', '--about', 'about.md', '--yes', '--commit');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no phases on Mondays')]);
  expect(stateOf(project)).toMatchObject({ lastCompletedPhase: null });
  expect(stateOf(project)).not.toMatchObject({ phases: { specify: { completed: expect.any(String) } } });
  writeFileSync(hook, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const resumed = await run(project, 'resume', runsOf(project)[0] ?? '');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(git(project, 'log', '-1', '--format=%s')).toBe('phase(specify): search - approved');
  expect(stateOf(project)).toMatchObject({ lastCompletedPhase: 'specify' });
});

test('§2C: --commit outside a repository is refused before anything is written', async () => {
  const project = makeProject();
  await run(project, 'feature', 'new', 'Search');
  rmSync(path.join(project, '.git'), { recursive: true });
  const { code, stderr } = await run(
    project,
    'feature',
    'specify',
    '--about',
    'about.md',
    '--yes',
    '--commit',
  );
  expect([code, stderr]).toEqual([5, expect.stringContaining('not inside a git repository')]);
  expect(existsSync(path.join(directoryOf(project), 'spec.md'))).toBe(false);
});

test('§2B, T-049: where tests show that code and specification differ, a person decides: fix, then accept', async () => {
  const project = await writtenProject('divergence', '2', marker());
  const words = ['feature', 'implement', '--no-simplify'];
  expect((await run(project, ...words)).code).toBe(2);
  writeState(project);
  expect((await run(project, ...words)).code).toBe(7);
  const id = runsOf(project).at(-1) ?? '';
  const first = await run(project, 'answer', id, 'consent=yes');
  expect([first.code, first.stderr]).toEqual([
    7,
    expect.stringContaining('Tests show 1 difference between code'),
  ]);
  const second = await run(project, 'answer', id, 'divergence-1=fix');
  expect(second.code, second.stderr).toBe(7);
  expect(promptOf(project, id, 'divergences-1-1')).toContain('AC-1: expected 100, got 10');
  const accepted = await run(project, 'answer', id, 'divergence-2=accept');
  expect(accepted.code, accepted.stderr).toBe(0);
  expect(git(project, 'log', '--format=%s')).toContain(
    'Do what the specification says where tests showed otherwise',
  );
});

test('§2B: a difference that stays after two fixes ends an unattended run', async () => {
  const project = await writtenProject('divergence', '9', marker());
  const alone = await run(project, 'feature', 'implement', '--no-simplify', '--yes');
  expect([alone.code, alone.stderr]).toEqual([
    6,
    expect.stringContaining('not approved, code and specification differ'),
  ]);
  const calls = callsOf(project, runsOf(project)[0] ?? '');
  expect(calls.filter((name) => /^(?:divergences|tests)-/.test(name))).toEqual([
    'divergences-1-1',
    'divergences-2-1',
    'tests-1-1',
    'tests-2-1',
    'tests-3-1',
  ]);
  expect(git(project, 'log', '--format=%s', 'main')).toBe('Begin');
  expect(stateOf(project)).not.toMatchObject({ phases: { implement: { completed: expect.any(String) } } });
});

test('§2B, T-134: parallel tasks that change the same lines are repeated on top of each other, in the order of the file', async () => {
  const project = await writtenProject('conflict');
  const words = ['feature', 'implement', '--yes', '--no-simplify', '--no-tests', '--parallel', '2'];
  const { code, stderr } = await run(project, ...words);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('task 1.2 conflicts in src/shared.js; it is done again on top of the others');
  expect(git(project, 'show', 'HEAD:src/shared.js')).toBe(
    "export const task11 = '1.1';\nexport const task12 = '1.2';\nexport const task13 = '1.3';",
  );
  const id = runsOf(project).at(-1) ?? '';
  expect(callsOf(project, id).filter((name) => name.startsWith('task-'))).toEqual([
    'task-1.1-1',
    'task-1.2-1',
    'task-1.2-again-2-1',
    'task-1.3-1',
  ]);
  expect(promptOf(project, id, 'task-1.2-again-2-1')).toContain('The code has changed since: src/shared.js.');
  expect(readOf(project, 'implementation-log.md').match(/^## Task \S+/gm)).toHaveLength(3);
});

test('lean/C-05, T-149: a small document goes into the prompt, a large one does not, and the verdicts are the same', async () => {
  const states = await Promise.all(
    ['100000', '50'].map(async (size) => {
      const project = makeProject();
      await run(project, 'feature', 'new', 'Search');
      const words = ['--about', 'about.md', '--yes', '--inline-up-to', size];
      const { code, stderr } = await run(project, 'feature', 'specify', ...words);
      expect(code, stderr).toBe(0);
      const prompt = promptOf(project, runsOf(project)[0] ?? '', 'specify-spec-reviewer-1-1');
      expect(prompt.includes('Complete spec.md:')).toBe(size === '100000');
      expect(prompt.includes('## Artifact Under Review')).toBe(size === '50');
      return stateOf(project) as { phases: { specify: { iterations: number; reviewerNotes: unknown } } };
    }),
  );
  const [small, large] = states.map(({ phases }) => [
    phases.specify.iterations,
    phases.specify.reviewerNotes,
  ]);
  expect(small).toEqual(large);
});

/** The folders of the calls of a run; next to them are their questions. */
function callsOf(project: string, id: string): string[] {
  const lanes = path.join(project, '.charrette/runs', id, 'lanes');
  return readdirSync(lanes).filter((name) => !name.endsWith('.json'));
}

/** The documents were written by hand; this says so. */
function writeState(project: string): void {
  const file = path.join(directoryOf(project), '.meta.json');
  const state = parseJson(readFileSync(file, 'utf8'), 'state') as object;
  writeFileSync(file, JSON.stringify({ ...state, lastCompletedPhase: 'tasks' }));
}
