import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeLiteProject } from '../support/lite-project.ts';
import { startCharrette } from '../support/live-program.ts';
import { callsIn, charrette, holdTask, runsOf } from '../support/program.ts';

const task = 'add the numbers and their total';

/** Lanes whose call is finished and saved. */
function finishedLanes(project: string, run: string): string[] {
  const lanes = path.join(project, '.charrette', 'runs', run, 'lanes');
  return readdirSync(lanes)
    .filter((name) => existsSync(path.join(lanes, name, 'result.json')))
    .map((name) => name.replace(/-\d+$/, ''));
}

function artifactOf(project: string, run: string, name: string): string {
  return readFileSync(path.join(project, '.charrette', 'runs', run, 'artifacts', name), 'utf8');
}

test('P-005 P-016 P-045 P-048 P-053 P-066 P-080 P-081 P-085 P-091 P-112 P-121…P-124 P-153 P-155 P-156 P-160 P-165 P-166 lite/T-10 from a question to merged code through three waves, a conflict, two fix rounds and repeated kills', async () => {
  const { project, calls, git } = makeLiteProject();
  const start = git('rev-parse', 'HEAD');
  const asked = await charrette(['lite-plan', '--one-task-per-call', '--json', task], { cwd: project });
  expect(asked.code).toBe(7);
  const [run = ''] = runsOf(project);
  expect(JSON.parse(asked.stdout)).toMatchObject({ status: 'paused', questions: [{ id: 'consent' }] });

  const answers = path.join(project, '.home', 'answers.json');
  const given: Record<string, string> = {
    consent: 'yes',
    'auto-mode': 'interactive',
    exploration: 'auto-detect',
    'clarify-1': '★ three',
  };
  writeFileSync(answers, JSON.stringify(given));
  const planned = await charrette(['resume', run, '--answers', answers], { cwd: project });
  expect(planned).toMatchObject({ code: 7 });
  expect(planned.stderr).toMatch(/wave 2 ⚡ \[P1\] one: TASK-002\n.*\[P2\] one: TASK-003/);
  // Nothing of the person's is touched before "allow".
  expect([git('rev-parse', 'HEAD'), git('branch', '--list'), git('status', '--porcelain')]).toEqual([
    start,
    '* main',
    '',
  ]);
  expect(JSON.parse(artifactOf(project, run, 'clarifications.json'))).toMatchObject({
    rounds: { asked: 1, total: 1 },
    answers: [{ answer: 'three', source: 'person' }],
  });

  writeFileSync(answers, JSON.stringify({ ...given, confirm: 'allow', execution: 'one', review: 'one' }));
  const repeated: string[] = [];
  let kills = 0;
  for (;;) {
    const [done, made] = [finishedLanes(project, run), callsIn(calls)];
    const crashAt = kills < 2 ? { crashAt: 200 } : {};
    const ended = await charrette(['resume', run, '--answers', answers], { cwd: project, ...crashAt });
    const left = [...made];
    const fresh = callsIn(calls).filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    repeated.push(...fresh.filter((line) => done.includes(line.split(' ')[1] ?? '')));
    if (ended.signal === 'SIGKILL') kills += 1;
    else {
      expect(ended.stderr).toContain('done: convergence PASS, code review PASS; the work is on main');
      expect(ended.code).toBe(0);
      break;
    }
  }
  expect(kills).toBe(2);
  expect(repeated).toEqual([]);

  expect(git('status', '--porcelain')).toBe('');
  expect(git('show', 'HEAD:src/index.mjs')).toBe(
    "// a sum\nexport const total = 6;\nexport * from './one.mjs';\nexport * from './two.mjs';\nexport * from './three.mjs';",
  );
  expect(git('log', '--format=%s', `${start}..HEAD`).split('\n')).toEqual([
    'Fix what tests and review found, round 2',
    'Fix what tests and review found, round 1',
    'Test the total',
    'Add three',
    'Add two',
    'Add one and the total',
  ]);
  expect(callsIn(calls)).toContain('execute execute-P2-retry');
  const artifacts = Object.fromEntries(
    ['execution-results.json', 'todo.json', 'test-checklist.json', 'execution-context.json'].map((name) => [
      name,
      JSON.parse(artifactOf(project, run, name)),
    ]),
  );
  expect(
    artifacts['execution-results.json'].results.map(({ executionId, status }: Record<string, string>) => [
      executionId,
      status,
    ]),
  ).toEqual([
    ['[S1]', 'completed'],
    ['[P1]', 'completed'],
    ['[P2]', 'completed'],
    ['[S2]', 'completed'],
    ['[fix-1]', 'completed'],
    ['[fix-2]', 'completed'],
  ]);
  expect(artifacts['execution-results.json'].results[0].proof).toMatchObject({
    executor: 'one',
    exitCode: 0,
    changedFiles: ['src/index.mjs', 'src/one.mjs'],
  });
  expect(artifacts['todo.json']).toMatchObject({ version: 1, rev: expect.any(Number) });
  expect(artifacts['todo.json'].rev).toBeGreaterThan(5);
  expect(artifacts['test-checklist.json']).toMatchObject({
    execution: { overall: 'PASS', fix_iteration: 2 },
  });
  expect(artifacts['execution-context.json'].handoff).toMatchObject({ consumedAt: expect.any(String) });
  expect(artifactOf(project, run, 'test-review.md')).toContain('Verdict: PASS');
  expect(artifactOf(project, run, 'code-review.md')).toContain('Verdict: PASS');
});

test('P-080 with the static agent alone the plan is printed, no executor is recommended, and no failing command is offered', async () => {
  const { project } = makeLiteProject('none', []);
  const { code, stdout, stderr } = await charrette(['lite-plan', '-y', task], { cwd: project });
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^## Plan\n\n/);
  expect(stdout).toContain('### TASK-001: ');
  expect(stderr).toContain('No agent here can change files');
  expect(stderr).not.toMatch(/recommended: |build --run|lite-execute|tokens for/);
});

test('P-013 P-014 P-052 P-083 P-100 P-104 P-117 P-125 P-126 a plan is handed over once; drift stops it, a failed task takes its dependants with it, the tree stays', async () => {
  const { project, calls, git } = makeLiteProject('TASK-002');
  const start = git('rev-parse', 'HEAD');
  const planned = await charrette(['lite-plan', '-y', '--plan-only', task], { cwd: project });
  expect(planned.code).toBe(0);
  expect(planned.stdout).toContain('### TASK-002: ');
  expect(planned.stderr).toMatch(/Run `charrette build --run \S+` to implement it/);
  const [run = ''] = runsOf(project);

  expect(JSON.parse(artifactOf(project, run, 'clarifications.json'))).toMatchObject({
    answers: [{ answer: 'three', source: 'assumed' }],
  });
  expect(JSON.parse(artifactOf(project, run, 'selection.json'))).toMatchObject({
    confirm: 'allow',
    selection: { execution: 'auto', review: 'skip' },
  });
  writeFileSync(path.join(project, 'src.txt'), 'not in the plan\n');
  const early = path.join(project, 'test', 'total.test.mjs');
  mkdirSync(path.dirname(early), { recursive: true });
  writeFileSync(early, '// mine\n');
  const drifted = await charrette(['lite-execute', '--run', run, '-y', '--json'], { cwd: project });
  expect(drifted.code).toBe(8);
  expect(JSON.parse(drifted.stdout)).toMatchObject({
    error: { code: 'plan-drift', message: expect.stringContaining('test/total.test.mjs was added') },
  });
  rmSync(early);

  // The handoff is used up: without -y the second try asks.
  const second = await charrette(['lite-execute', '--run', run, '--json'], { cwd: project });
  expect(second.code).toBe(7);
  const answers = path.join(project, '.home', 'answers.json');
  const choices = { consent: 'yes', 'auto-mode': 'interactive', execution: 'auto', review: 'skip' };
  writeFileSync(answers, JSON.stringify({ ...choices, confirm: 'cancel' }));
  const cancelled = await charrette(['resume', runsOf(project).at(-1) ?? '', '--answers', answers], {
    cwd: project,
  });
  expect(cancelled.stderr).toContain('Cancelled; nothing was changed');
  expect([cancelled.code, git('rev-parse', 'HEAD')]).toEqual([6, start]);
  const failed = await charrette(['lite-execute', '--run', run, '-y', '--one-task-per-call'], {
    cwd: project,
  });
  expect(failed.code).toBe(6);
  expect(failed.stderr).toContain('TASK-004 was skipped because TASK-002 is missing');
  expect(failed.stderr).toMatch(
    /\[P1\] failed: told to fail TASK-002\. What it changed, if anything, is in .*worktrees\/P1/,
  );
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([start, '?? src.txt']);
  expect(callsIn(calls)).not.toContain('execute execute-S2');

  // What is left can be seen, and is removed with the run; work that is on no other branch only when that is wanted.
  const last = runsOf(project).at(-1) ?? '';
  const shown = JSON.parse((await charrette(['show', last, '--json'], { cwd: project })).stdout);
  expect(shown.worktrees).toEqual([expect.stringMatching(/worktrees\/P1$/)]);
  expect(shown.artifacts.map(({ name }: { name: string }) => name)).toContain('.task/TASK-001.json');
  const removed = await charrette(['runs', 'rm', last], { cwd: project });
  expect(removed.stdout).toContain(`Kept the branch charrette/${last}`);
  expect(git('worktree', 'list')).not.toContain('worktrees/P1');
  expect(git('branch', '--list', 'charrette/*')).toContain(last);

  const missing = await charrette(['lite-execute', 'nowhere/plan.json', '-y'], { cwd: project });
  expect(missing.code).toBe(4);
  const unknown = await charrette(['lite-execute', 'Update README.md', '-y', '--executor', 'unknown'], {
    cwd: project,
  });
  expect(unknown.code).toBe(4);
  expect(unknown.stderr).toContain('agents that can: one');
});

test('an executor that reports other batches and repairs as done does not skip them', async () => {
  const { project, calls, git } = makeLiteProject('plant');
  const start = git('rev-parse', 'HEAD');
  const ended = await charrette(['lite-plan', '-y', '--one-task-per-call', task], { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
  const lanes = ['S1', 'P1', 'P2', 'P2-retry', 'S2'].map((name) => `execute execute-${name}`);
  expect(callsIn(calls)).toEqual(expect.arrayContaining([...lanes, 'fix fix-1', 'fix fix-2']));
  expect(git('log', '--format=%s', `${start}..HEAD`).split('\n')).toEqual([
    'Fix what tests and review found, round 2',
    'Fix what tests and review found, round 1',
    'Test the total',
    'Add three',
    'Add two',
    'Add one and the total',
  ]);
  const first = git('log', '--format=%B', '--grep=^Add one', `${start}..HEAD`);
  expect(first).toMatch(/^> Charrette-Batch: \S+\/P1\.$/m);
  expect(first.match(/^Charrette-Batch: .*$/gm)).toEqual([expect.stringMatching(/\/S1\.$/)]);
});

test('P-037 P-047 P-060 P-067 P-082 P-090 P-102 a task from a file: a lost angle is named, a planner without a plan is replaced, a change is planned again, the result stays on its branch', async () => {
  const { project, git } = makeLiteProject('lite-plan');
  const start = git('rev-parse', 'HEAD');
  const home = path.join(project, '.home');
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, 'task.md'), '# Add the numbers\n\nOne, two and three.\n');
  const answers = path.join(home, 'answers.json');
  const given = {
    'auto-mode': 'interactive',
    'clarify-1': 'as you like',
    confirm: 'modify',
    execution: 'auto',
    review: 'skip',
    'modify-1': 'only the first number',
    'confirm-2': 'allow',
    'execution-2': 'one',
    'review-2': 'skip',
  };
  writeFileSync(answers, JSON.stringify({ consent: 'yes', ...given }));
  const flags = ['--explore', '--no-merge', '--answers', answers];
  const ended = await charrette(['lite-plan', ...flags, '.home/task.md'], { cwd: project });
  expect(ended.stderr).toContain('The angle testing is missing');
  expect(ended.stderr).toContain('this fallback plan is the request as one task');
  expect(ended.stderr).toContain('LP-3 plan, version 2');
  expect(ended.stderr).toContain('convergence NOT VERIFIED, code review NOT VERIFIED');
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  expect(JSON.parse(artifactOf(project, run, 'explorations-manifest.json'))).toMatchObject({
    exploration_count: 2,
  });
  expect(JSON.parse(artifactOf(project, run, 'plan.json'))).toMatchObject({ _metadata: { degraded: true } });
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([start, '']);
  expect(git('show', `charrette/${run}:src/one.mjs`)).toBe('export const one = 1;');

  const prompted = await charrette(['lite-execute', 'Update README.md', '-y', '--json'], { cwd: project });
  expect(prompted.code).toBe(0);
  expect(git('log', '--format=%s', '-1')).toBe('Update README.md');
});

test('P-062 P-071 P-082 P-092 P-157 P-167 a change with fewer tasks and a preference: their files go, the preference holds, and the plan runs as allowed', async () => {
  const { project } = makeLiteProject('none', ['one', 'two']);
  const home = path.join(project, '.home');
  mkdirSync(home, { recursive: true });
  const answers = path.join(home, 'answers.json');
  const given = {
    consent: 'yes',
    'auto-mode': 'interactive',
    exploration: 'auto-detect',
    'clarify-1': 'three',
    confirm: 'modify',
    execution: 'auto',
    review: 'skip',
    'modify-1': 'only TASK-001, and two does TASK-001. Never let one touch it',
    'confirm-2': 'allow',
    'execution-2': 'auto',
    'review-2': 'two',
  };
  writeFileSync(answers, JSON.stringify(given));
  const planned = await charrette(['lite-plan', '--plan-only', '--answers', answers, task], { cwd: project });
  expect(planned.stderr).not.toContain('were changed');
  expect(planned.stderr).toContain('[S1] two: TASK-001');
  expect(planned.code, planned.stderr).toBe(0);
  const [run = ''] = runsOf(project);
  expect(readdirSync(path.join(project, '.charrette', 'runs', run, 'artifacts', '.task'))).toEqual([
    'TASK-001.json',
  ]);
  expect(JSON.parse(artifactOf(project, run, 'execution-context.json'))).toMatchObject({
    executorAssignments: { 'TASK-001': { executor: 'two', reason: 'only TASK-001, and two does TASK-001' } },
    autoMode: false,
  });
  const exported = await charrette(['plan', 'export', run, '--format', 'issue'], { cwd: project });
  expect(exported.stdout).not.toContain('Add two');

  const alone = await charrette(['lite-execute', '--run', run, '--agents', 'one', '--json'], {
    cwd: project,
  });
  expect(JSON.parse(alone.stdout).error).toMatchObject({
    code: 'agent-not-found',
    message: 'two cannot review here; agents that can: one.',
  });
  expect(runsOf(project)).toEqual([run]);
  const ended = await charrette(['lite-execute', '--run', run, '--answers', answers], { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
  const last = runsOf(project).at(-1) ?? '';
  const { results } = JSON.parse(artifactOf(project, last, 'execution-results.json'));
  expect(results[0].proof.executor).toBe('two');
  expect(artifactOf(project, last, 'follow-up-doc.md')).toContain('No documentation changed');
});

test('P-082 tasks that a change dropped and the next one brought back stay, also when the store was lost', async () => {
  const { project } = makeLiteProject();
  const home = path.join(project, '.home');
  mkdirSync(home, { recursive: true });
  const answers = path.join(home, 'answers.json');
  const choices = ['', '-2'].map((suffix) => ({
    [`confirm${suffix}`]: 'modify',
    [`execution${suffix}`]: 'auto',
    [`review${suffix}`]: 'skip',
  }));
  const given = {
    ...{ consent: 'yes', 'auto-mode': 'interactive', exploration: 'auto-detect', 'clarify-1': 'three' },
    ...{ 'modify-1': 'only TASK-001', 'modify-2': 'all four again' },
  };
  writeFileSync(answers, JSON.stringify(Object.assign(given, ...choices)));
  const planned = await charrette(['lite-plan', '--plan-only', '--answers', answers, task], { cwd: project });
  expect(planned.code, planned.stderr).toBe(7);
  const [run = ''] = runsOf(project);
  rmSync(path.join(project, '.charrette', 'store'), { recursive: true });
  writeFileSync(
    answers,
    JSON.stringify({ ...given, 'confirm-3': 'allow', 'execution-3': 'auto', 'review-3': 'skip' }),
  );
  const resumed = await charrette(['resume', run, '--answers', answers], { cwd: project });
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(readdirSync(path.join(project, '.charrette', 'runs', run, 'artifacts', '.task'))).toHaveLength(4);
});

test('P-015 P-084 P-111 P-123 P-154 P-157 P-167 an imported plan that goes in a circle: forced, changed while it waits, reviewed by a panel, with follow-ups', async () => {
  const { project, calls, git } = makeLiteProject('none', ['one', 'two']);
  const start = git('rev-parse', 'HEAD');
  const item = (id: string, need: string) => ({
    id,
    title: `Do ${id}`,
    depends_on: [need],
    implementation: ['a', 'b'],
    acceptance: [`src/${id}.mjs is there`],
  });
  const old = { summary: 'Numbers', approach: 'Constants.', tasks: [item('A', 'B'), item('B', 'A')] };
  const home = path.join(project, '.home');
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, 'old.json'), JSON.stringify(old));
  const imported = await charrette(['plan', 'import', '.home/old.json', '--out', '.home/plan'], {
    cwd: project,
  });
  expect([imported.code, imported.stdout]).toEqual([
    6,
    expect.stringContaining('TASK-001 → TASK-002 → TASK-001'),
  ]);
  const refused = await charrette(['lite-execute', '.home/plan/plan.json', '-y'], { cwd: project });
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('TASK-001 → TASK-002 → TASK-001'),
  ]);

  const waiting = await charrette(
    ['lite-execute', '.home/plan/plan.json', '--force-cycles', '--review', 'panel'],
    { cwd: project },
  );
  expect(waiting.code).toBe(7);
  const [run = ''] = runsOf(project);
  const answers = path.join(home, 'answers.json');
  const given = { consent: 'yes', 'auto-mode': 'interactive' };
  writeFileSync(answers, JSON.stringify(given));
  const confirming = await charrette(['resume', run, '--answers', answers], { cwd: project });
  expect(confirming.code).toBe(7);
  expect(confirming.stderr).toContain('TASK-001 no longer waits for TASK-002: they go in a circle.');
  expect(confirming.stderr).toMatch(
    /About 2 calls, [\d.]+k tokens, money unknown \(estimated; no price is known for one\)/,
  );

  const file = path.join(project, '.charrette', 'runs', run, 'artifacts', '.task', 'TASK-002.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('Do B', 'Do B and no more'));
  writeFileSync(answers, JSON.stringify({ ...given, confirm: 'allow', execution: 'two' }));
  const stale = await charrette(['resume', run, '--answers', answers, '--json'], { cwd: project });
  expect(JSON.parse(stale.stdout)).toMatchObject({
    status: 'paused',
    questions: [{ id: 'stale', detail: expect.stringContaining('+  "title": "Do B and no more"') }],
  });
  expect([git('rev-parse', 'HEAD'), git('branch', '--list')]).toEqual([start, '* main']);
  writeFileSync(answers, JSON.stringify({ stale: 'changed' }));
  const ended = await charrette(['resume', run, '--answers', answers], { cwd: project });
  expect(ended.stderr).toContain('done: convergence PASS, code review PASS; the work is on main');
  expect(git('log', '--format=%s', `${start}..HEAD`).split('\n')).toEqual(['Do B and no more', 'Do A']);
  expect(callsIn(calls).filter((call) => call.startsWith('code-review'))).toEqual([
    'code-review code-review-0-one',
    'code-review code-review-0-two',
  ]);
  expect(artifactOf(project, run, 'code-review.md')).toContain('Reviewer: one, two');
  expect(artifactOf(project, run, 'follow-up-doc.md')).toContain(
    'No documentation changed together with src/index.mjs',
  );
  const { results } = JSON.parse(artifactOf(project, run, 'execution-results.json'));
  expect(results[0].proof).toMatchObject({
    executor: 'two',
    argv: [expect.stringMatching(/node$/), expect.stringMatching(/builder-agent\.mjs$/), calls, 'none'],
    exitCode: 0,
    changedFiles: ['src/index.mjs', 'src/one.mjs'],
  });
});

test.each([
  ['TASK-001', 'the error handling is missing', 'TASK-002 was skipped because TASK-001 is missing'],
  ['TASK-002', 'TASK-002: no time', 'TASK-004 was skipped because TASK-002 is missing'],
])(
  'P-117 a %s that its executor calls partial (%s) is not accepted and not merged, also when the store was lost after it landed',
  async (half, reason, skipped) => {
    const { project, calls, git } = makeLiteProject(`partial:${half}=${reason}`);
    // The tests of the project take until they are released: the run is killed while it verifies.
    const waits = `import { existsSync } from 'node:fs';\nwhile (existsSync(${JSON.stringify(`${calls}.hold`)})) await new Promise((wake) => setTimeout(wake, 20));\n`;
    mkdirSync(path.join(project, 'test'));
    writeFileSync(path.join(project, 'test', 'waits.test.mjs'), waits);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Add a test that waits');
    const start = git('rev-parse', 'HEAD');
    expect((await charrette(['lite-plan', '-y', '--plan-only', task], { cwd: project })).code).toBe(0);
    const release = holdTask(calls, 'verify');
    const live = startCharrette(['lite-execute', '--run', 'latest', '-y'], { cwd: project });
    await live.says('LV verify');
    live.kill('SIGKILL');
    await live.ended;
    release();
    const run = runsOf(project).at(-1) ?? '';
    rmSync(path.join(project, '.charrette', 'store'), { recursive: true });
    const { code, stderr } = await charrette(['resume', run], { cwd: project });
    expect(code, stderr).toBe(6);
    expect(stderr).toContain(`${half} failed; ${skipped}`);
    expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([start, '']);
    const { results } = JSON.parse(artifactOf(project, run, 'execution-results.json'));
    expect(results.map(({ status }: { status: string }) => status)).toContain('partial');
    expect(artifactOf(project, run, 'execution-summary.md')).toMatch(
      new RegExp(`^- ${half} .*: failed$`, 'm'),
    );
  },
);

/** An execution that stops because git refuses to land one piece; a policy of the repository that is lifted then. */
async function stoppedAt(piece: string) {
  const made = makeLiteProject();
  const { project } = made;
  expect((await charrette(['lite-plan', '-y', '--plan-only', task], { cwd: project })).code).toBe(0);
  const shut = path.join(project, '.home', 'shut');
  mkdirSync(path.dirname(shut), { recursive: true });
  writeFileSync(shut, '');
  const hook = `#!/bin/sh
[ "$1" = prepared ] && [ -e ${shut} ] || exit 0
while read -r old new name; do
  case "$name" in refs/heads/charrette/*) git log -1 --format=%B "$new" | grep -q "/${piece}\\.$" && exit 1 ;; esac
done
exit 0
`;
  writeFileSync(path.join(project, '.git/hooks/reference-transaction'), hook, { mode: 0o755 });
  const stopped = await charrette(['lite-execute', '--run', 'latest', '-y', '--one-task-per-call'], {
    cwd: project,
  });
  expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining('update-ref failed')]);
  rmSync(shut);
  return { ...made, run: runsOf(project).at(-1) ?? '' };
}

const allPieces = ['S1', 'P1', 'P2', 'S2', 'fix-1', 'fix-2'];

const landedIn = (git: (...words: string[]) => string) =>
  git('log', '--reverse', '--format=%B', 'main').match(/(?<=Charrette-Batch: .*\/)[\w-]+/g);

test.each(['P1', 'P2', 'fix-1', 'fix-2'])(
  'P-165 work of %s that git does not let land stays: the run stops, and resume lands it without asking for anything twice',
  async (piece) => {
    const { project, calls, git, run } = await stoppedAt(piece);
    const { code, stderr } = await charrette(['resume', run], { cwd: project });
    expect(code, stderr).toBe(0);
    const written = callsIn(calls).filter((line) => /^(?:execute|fix|code-review) /.test(line));
    expect(written).toEqual([...new Set(written)]);
    expect(landedIn(git)).toEqual(allPieces);
    const { results } = JSON.parse(artifactOf(project, run, 'execution-results.json'));
    expect(results.map(({ executionId }: { executionId: string }) => executionId)).toEqual(
      allPieces.map((each) => `[${each}]`),
    );
  },
);

test.each(['S1', 'fix-2'])(
  'repeats work of %s whose checkout was removed before it was merged',
  async (piece) => {
    const { project, git, run } = await stoppedAt(piece);
    const checkout = path.join(project, '.charrette', 'runs', run, 'worktrees', piece);
    rmSync(checkout, { recursive: true });
    git('worktree', 'prune');
    const { code, stderr } = await charrette(['resume', run], { cwd: project });
    expect(code, stderr).toBe(0);
    expect(landedIn(git)).toEqual(allPieces);
    expect(stderr).not.toContain('no file changed');
  },
);

describe('an agent that damages its checkout', () => {
  async function damaged(way: string) {
    const { project, git } = makeLiteProject(`spoil:${way}`);
    const planned = await charrette(['lite-plan', '-y', '--plan-only', task], { cwd: project });
    expect(planned.code).toBe(0);
    git('branch', 'develop');
    writeFileSync(path.join(project, 'package.json'), '{"name":"my own change"}\n');
    writeFileSync(path.join(project, 'notes.txt'), 'mine\n');
    const before = [
      git('for-each-ref', 'refs/heads/main', 'refs/heads/develop'),
      git('status', '--porcelain'),
    ];
    const ended = await charrette(
      ['lite-execute', '--run', runsOf(project)[0] ?? '', '-y', '--one-task-per-call', '--accept-drift'],
      // In the sandbox `.git` cannot be removed.
      { cwd: project, ...(way.startsWith('no-git') ? { env: { CHARRETTE_JAIL: 'off' } } : {}) },
    );
    const after = [
      git('for-each-ref', 'refs/heads/main', 'refs/heads/develop'),
      git('status', '--porcelain'),
    ];
    const run = runsOf(project).at(-1) ?? '';
    const worktrees = path.join(project, '.charrette', 'runs', run, 'worktrees');
    return { project, git, run, ended, before, after, worktrees };
  }

  for (const [way, file] of [
    ['no-git', 'src/one.mjs'],
    ['no-git-no-answer', 'src/one.mjs'],
    ['nested', 'src/one.mjs'],
  ] as const) {
    test(`${way}: its batch fails, the user’s files stay untouched, its folder stays and is reported`, async () => {
      const { project, run, ended, before, after, worktrees } = await damaged(way);
      expect(ended.stderr).toMatch(/\[S1\] failed: The work in .*worktrees\/S1 cannot be taken/);
      expect(ended.code).toBe(6);
      expect(after).toEqual(before);
      expect(readFileSync(path.join(project, 'package.json'), 'utf8')).toContain('my own change');
      expect(existsSync(path.join(worktrees, 'S1', file))).toBe(true);
      const shown = JSON.parse((await charrette(['show', run, '--json'], { cwd: project })).stdout);
      expect(shown.worktrees).toEqual([path.join(worktrees, 'S1')]);
      expect((await charrette(['runs', 'rm', run, '--unmerged'], { cwd: project })).code).toBe(0);
      expect(existsSync(worktrees)).toBe(false);
    });
  }

  test('switch: the branch it switched to does not move; a run branch that is checked out is not deleted', async () => {
    const { project, git, run, ended } = await damaged('switch');
    expect(ended.stderr).toContain('the work is on main');
    expect(git('rev-parse', 'develop')).toBe(git('rev-list', '--max-parents=0', 'main'));
    expect(git('show', `charrette/${run}:src/one.mjs`)).toBe('export const one = 1;');
    git('worktree', 'add', '--quiet', path.join(project, '.home', 'looking'), `charrette/${run}`);
    const removed = await charrette(['runs', 'rm', run, '--unmerged'], { cwd: project });
    expect(removed.stdout).toContain(`Kept the branch charrette/${run}: it is checked out`);
    expect(git('branch', '--list', `charrette/${run}`)).toContain(run);
  });

  test('no-branch: a branch deleted meanwhile is reported once, with its commit and the command that restores it', async () => {
    const { git, ended } = await damaged('no-branch');
    const base = git('rev-list', '--max-parents=0', 'main');
    const line = `While one worked on execute-S1-1, refs/heads/develop is gone; it was at ${base}. If that was not you: git update-ref refs/heads/develop ${base}`;
    expect(ended.stderr.split(line)).toHaveLength(2);
    expect(ended.stderr).toContain('the work is on main');
  });

  test('ignored: files that git ignores are reported and stay', async () => {
    const { ended, worktrees } = await damaged('ignored');
    expect(ended.stderr).toContain('not committed, so not seen by the executors: package.json, notes.txt');
    expect(ended.stderr).toMatch(/\[S1\] git ignores \.home\/; kept in .*worktrees\/S1\./);
    expect(readFileSync(path.join(worktrees, 'S1', '.home', 'all.txt'), 'utf8')).toBe('all there is\n');
  });
});
