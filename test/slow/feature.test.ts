import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
import { callsIn, charrette, runsOf } from '../support/program.ts';

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
});

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

test('a failing agent is reported and no file is half written', async () => {
  const project = makeProject('fail');
  await run(project, 'feature', 'new', 'Search');
  const { code, stderr } = await run(project, 'feature', 'specify', '--about', 'about.md', '--yes');
  expect([code, stderr]).toEqual([1, expect.stringContaining('told to fail')]);
  expect((await run(project, 'feature', 'status', '--feature', '001')).stdout).toContain(
    'spec.md       level 0',
  );
});

test('without consent the run waits, and continues once it has it', async () => {
  const project = makeProject();
  await run(project, 'feature', 'new', 'Search');
  const paused = await run(project, 'feature', 'specify', '--about', 'about.md');
  expect([paused.code, paused.stderr]).toEqual([
    7,
    expect.stringMatching(/Let .*\(writer, mine\) read this repository/),
  ]);
  const [id = ''] = runsOf(project);
  const { code, stderr } = await run(project, 'answer', id, 'consent=yes');
  expect(code, stderr).toBe(0);
  expect(stateOf(project)).toMatchObject({ lastCompletedPhase: 'specify' });
});

test('T-051, T-070, T-084, T-122…T-128, T-086: plan and tasks in one loop, implemented, reviewed in three rounds, finished', async () => {
  const project = await writtenProject();
  const plan = await run(project, 'feature', 'plan', '--combined', '--yes');
  expect(plan.code, plan.stderr).toBe(0);
  expect(stateOf(project)).toMatchObject({
    lastCompletedPhase: 'tasks',
    phases: { plan: { iterations: 2 } },
  });
  const { code, stderr } = await run(project, 'feature', 'implement', '--yes', '--parallel', '2');
  expect(code, stderr).toBe(0);
  expect(stateOf(project)).toMatchObject({ phases: { implement: { iterations: 3 } } });
  // T-024, T-049: tests are outlined and written before the reviews.
  expect(git(project, 'log', '--format=%s').split('\n')).toEqual([
    'charrette: implement review iteration 1 fixes',
    'Test what the specification promises',
    'Simplify without a change of behaviour',
    'Task 1.3: Store 1.3',
    'Task 1.2: Store 1.2',
    'Task 1.1: Store 1.1',
    'Begin',
  ]);
  const log = readOf(project, 'implementation-log.md');
  expect(log).toMatch(
    /^# Implementation Log\n## Task 1\.1: Store 1\.1\n- \*\*Files changed:\*\* src\/task-1\.1\.js\n/,
  );
  const history = readOf(project, '.review-history.md');
  expect(history.match(/^## Iteration \d .*$/gm)).toHaveLength(3);
  expect(history).toMatch(/^## Iteration 3 - \S+ \[FINAL VALIDATION\]$/m);
  expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(git(project, 'for-each-ref', 'refs/charrette')).toBe('');
  // T-077: every call with reads is recorded and graded, those of the tasks too.
  const calls = readFileSync(path.join(project, '.charrette/prompt-log.jsonl'), 'utf8').trim().split('\n');
  const roles = calls.map(
    (line) => parseJson(line, 'log') as { role: string; command: string; confirmation?: string },
  );
  const count = (command: string, role: string) =>
    roles.filter((call) => call.command === command && call.role === role && call.confirmation === 'full')
      .length;
  expect(count('implementing', 'implementer')).toBe(3);
  expect(count('implement', 'test-deepener')).toBe(1);
  expect(count('implement', 'implementer')).toBe(2);

  const finished = await run(project, 'feature', 'finish', '--no-checks');
  expect(finished.code, finished.stderr).toBe(0);
  expect(stateOf(project)).toMatchObject({ status: 'completed', lastCompletedPhase: 'finish' });
  expect(readdirSync(directoryOf(project)).sort()).toEqual(
    ['.meta.json', 'design.md', 'plan.md', 'retro.md', 'spec.md', 'tasks.md'].sort(),
  );
  const kept = path.join(project, '.charrette/features/001-search');
  expect(readFileSync(path.join(kept, '.review-history.md'), 'utf8')).toBe(history);
  expect(readFileSync(path.join(kept, 'implementation-log.md'), 'utf8')).toBe(log);
});

test('T-129, T-112: never approves at the iteration cap; the user may have it fixed and reviewed again', async () => {
  const project = await writtenProject('never');
  const words = ['feature', 'implement', '--no-simplify', '--no-tests', '--max', '2'];
  const alone = await run(project, ...words, '--yes');
  expect(alone.code, alone.stderr).toBe(6);
  expect(alone.stderr).toContain('circuit breaker: after 2 of 2 rounds');
  expect(stateOf(project)).not.toMatchObject({ phases: { implement: { completed: expect.any(String) } } });
  expect(git(project, 'log', '--format=%s', 'main')).toBe('Begin');

  const asked = await run(project, ...words);
  expect([asked.code, asked.stderr]).toEqual([
    7,
    expect.stringMatching(/Let .*\(writer, mine\) read this repository/),
  ]);
  const id = runsOf(project).at(-1) ?? '';
  expect((await run(project, 'answer', id, 'consent=yes')).code).toBe(7);
  expect((await run(project, 'answer', id, 'circuit-breaker-1=fix-and-rerun')).code).toBe(7);
  const forced = await run(project, 'answer', id, 'circuit-breaker-2=force-approve');
  expect(forced.code, forced.stderr).toBe(6);
  expect(stateOf(project)).toMatchObject({ phases: { implement: { iterations: 4 } } });
  expect(readOf(project, '.review-history.md').match(/^## Iteration /gm)).toHaveLength(2 + 4);
});

test('T-129: a feature abandoned at the cap prints where its work is, and no resume command', async () => {
  const project = await writtenProject('never');
  const state = { ...(stateOf(project) as object), lastCompletedPhase: 'tasks' };
  writeFileSync(path.join(directoryOf(project), '.meta.json'), JSON.stringify(state));
  const words = ['--no-simplify', '--no-tests', '--max', '1'];
  expect((await run(project, 'feature', 'implement', ...words)).code).toBe(7);
  const id = runsOf(project).at(-1) ?? '';
  expect((await run(project, 'answer', id, 'consent=yes')).code).toBe(7);
  const { code, stdout, stderr } = await run(project, 'answer', id, 'circuit-breaker-1=abandon');
  expect([code, `${stdout}${stderr}`]).toEqual([
    6,
    expect.stringContaining(`The work is on the branch charrette/${id}.`),
  ]);
  expect(`${stdout}${stderr}`).not.toContain('--review-only');
  expect(stateOf(project)).toMatchObject({ status: 'abandoned' });
});

test('a failed run continues where it failed: finished work is not repeated, changes by the user stay', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'marker-'));
  const project = makeProject('fail-once', path.join(folder, 'failed'), 'specify-phase-reviewer');
  await run(project, 'feature', 'new', 'Search');
  const failed = await run(project, 'feature', 'specify', '--about', 'about.md', '--yes');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('told to fail once')]);
  const spec = `${readOf(project, 'spec.md')}\nBy hand.\n`;
  writeFileSync(path.join(directoryOf(project), 'spec.md'), spec);
  const [id = ''] = runsOf(project);
  const lanes = path.join(project, '.charrette/runs', id, 'lanes');
  const before = readdirSync(lanes);
  const resumed = await run(project, 'resume', id);
  expect(resumed.code, resumed.stderr).toBe(0);
  const after = readdirSync(lanes).filter((name) => !before.includes(name));
  expect(after.every((name) => /phase-reviewer|phase-review/.test(name))).toBe(true);
  expect(after).toContain('specify-phase-reviewer-1-3');
  const prompt = readFileSync(
    path.join(lanes, 'write-spec-revision-1-for-phase-reviewer-1', 'prompt.md'),
    'utf8',
  );
  expect(prompt).toContain('spec.md');
  expect(stateOf(project)).toMatchObject({ phases: { specify: { iterations: 4 } } });
  const history = readOf(project, '.review-history.md');
  expect(history.match(/Spec-Reviewer Review - Iteration 1/g)).toHaveLength(1);
});

test.each([
  [
    'a filter of the repository is not there yet',
    (project: string, open: string) => {
      git(project, 'config', 'filter.store.clean', `test -e ${open} && cat`);
      git(project, 'config', 'filter.store.smudge', 'cat');
      git(project, 'config', 'filter.store.required', 'true');
      writeFileSync(path.join(project, '.git/info/attributes'), 'src/** filter=store\n');
    },
  ],
  [
    'a hook refuses to move the branch of the run',
    (project: string, open: string) => {
      const text = `#!/bin/sh\n[ "$1" = prepared ] && [ ! -e ${open} ] || exit 0\ngrep -q "[1-9a-f] .* refs/heads/charrette/" && exit 1\nexit 0\n`;
      writeFileSync(path.join(project, '.git/hooks/reference-transaction'), text, { mode: 0o755 });
    },
  ],
])(
  'tasks whose work cannot land because %s are merged by resume, and no agent is asked again',
  async (_name, shut) => {
    const open = path.join(mkdtempSync(path.join(tmpdir(), 'marker-')), 'open');
    const project = await writtenProject();
    const calls = `${open}.calls`;
    const config = path.join(project, 'charrette.config.json');
    const counted = ['sh', '-c', `echo "$CHARRETTE_TASK" >> ${calls}; exec "$@"`, 'sh'];
    const settings = readFileSync(config, 'utf8').replace(
      '"command":[',
      `"command":[${counted.map((word) => JSON.stringify(word))},`,
    );
    writeFileSync(config, settings);
    shut(project, open);
    const stopped = await run(project, 'feature', 'implement', '--no-simplify', '--no-tests', '--yes');
    expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringMatching(/git (add|update-ref) failed/)]);
    writeFileSync(open, '');
    const id = runsOf(project)[0] ?? '';
    const { code, stderr } = await run(project, 'resume', id);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('no file changed');
    const written = callsIn(calls).filter((name) => name === 'implementing-implementer');
    expect(written).toHaveLength(3);
    const files = ['1.1', '1.2', '1.3'].map((number) => `src/task-${number}.js`);
    expect(git(project, 'ls-tree', '-r', '--name-only', 'main', 'src').split('\n')).toEqual(files);
  },
);

test('T-071: a failed task is asked about, tried again, and the run continues', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'marker-'));
  const project = await writtenProject('fail-once', path.join(folder, 'failed'), 'implementing-implementer');
  const words = ['feature', 'implement', '--no-simplify', '--no-tests'];
  const { code, stderr } = await run(project, ...words, '--yes');
  expect(code, stderr).toBe(0);
  expect(readOf(project, 'implementation-log.md').match(/^## Task /gm)).toHaveLength(3);
});

test.each([
  ['approve-with-blocker', 6, 'reviewer approved, gate fail (approved, but 1 open issue)'],
  ['reject-without-issue', 6, 'gate ask-again (rejected without an issue to fix)'],
  ['prose', 6, 'the answer has no JSON object'],
  ['fenced', 0, 'reviewer approved, gate pass'],
  // 100 MB
  ['huge', 1, 'gave no usable answer'],
])('bad input, T-117, T-118: a reviewer that answers %s ends with %i', async (mode, exit, message) => {
  const project = makeProject(mode);
  await run(project, 'feature', 'new', 'Search');
  const { code, stderr } = await run(
    project,
    'feature',
    'specify',
    '--about',
    'about.md',
    '--yes',
    '--max',
    '1',
  );
  expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  expect(readOf(project, 'spec.md')).toContain('## Acceptance Criteria');
  expect(existsSync(path.join(directoryOf(project), '.review-history.md'))).toBe(mode !== 'huge');
});

test('lean/C-21: an issue is waived by its fingerprint, and the same gate passes', async () => {
  const project = makeProject('never');
  await run(project, 'feature', 'new', 'Search');
  await run(project, 'feature', 'specify', '--about', 'about.md', '--yes', '--max', '1');
  const listed = parseJson((await run(project, 'feature', 'issues', '--json')).stdout, 'issues') as {
    reviews: { reviewer: string; gate: string; issues: { fingerprint: string }[] }[];
  };
  const [review] = listed.reviews;
  expect(review).toMatchObject({ reviewer: 'rejected', gate: 'fail' });
  const mark = review?.issues[0]?.fingerprint ?? '';
  expect((await run(project, 'feature', 'waive', mark)).code).toBe(2);
  expect((await run(project, 'feature', 'waive', 'ffff', '--reason', 'x')).code).toBe(4);
  expect((await run(project, 'feature', 'waive', mark.slice(0, 6), '--reason', 'agreed')).code).toBe(0);
  const { code, stderr } = await run(project, 'feature', 'specify', '--yes', '--max', '1');
  expect([code, stderr]).toEqual([0, expect.stringContaining('every issue is waived')]);
  expect(readOf(project, '.review-history.md')).toContain(`**Waived:** ${mark} R1.1 is vague`);
});

test('§2B: the design may start from a panel; its result and two researchers are material for the author', async () => {
  const project = makeProject();
  await run(project, 'feature', 'new', 'Search');
  await run(project, 'feature', 'specify', '--about', 'about.md', '--yes');
  const script = path.resolve(import.meta.dirname, '../agents/panel-and-feature-agent.mjs');
  const command = [
    'node',
    script,
    path.join(mkdtempSync(path.join(tmpdir(), 'calls-')), 'calls.txt'),
    '0',
    'none',
  ];
  const agents = Object.fromEntries(
    ['one', 'two'].map((id) => [id, { protocol: 'exec', command, family: id }]),
  );
  writeFileSync(path.join(project, 'charrette.config.json'), JSON.stringify({ detect: false, agents }));
  git(project, 'add', '--all');
  git(project, 'commit', '--quiet', '--message', 'Describe the feature');
  const { code, stderr } = await run(project, 'feature', 'design', '--panel', '--yes');
  expect(code, stderr).toBe(0);
  const ids = runsOf(project);
  const panel = ids.find((id) => !/specify|-design-001-search-/.test(id)) ?? '';
  const lanes = path.join(
    project,
    '.charrette/runs',
    ids.find((id) => id.includes('-design-001-search-')) ?? '',
    'lanes',
  );
  const prompt = readFileSync(path.join(lanes, 'write-design-first-draft-1', 'prompt.md'), 'utf8');
  expect(prompt).toContain(`From the design panel of run ${panel}`);
  expect(prompt).toContain('approach-synthesis.txt:');
  expect(prompt).toContain('- there is a store (src/store.js:1)');
  expect((await run(project, 'feature', 'design', '--from-panel', 'nothing', '--yes')).code).toBe(4);
});

test('killed at a write again and again, an implementation ends with every task done once', async () => {
  const project = await writtenProject();
  const words = ['feature', 'implement', '--yes', '--no-simplify', '--no-tests', '--parallel', '2'];
  let ended = await charrette(words, { cwd: project, crashAt: 85 });
  const [id = ''] = runsOf(project);
  let kills = 0;
  for (const crashAt of [100, 155, 210, undefined]) {
    if (ended.signal === 'SIGKILL') kills += 1;
    ended = await charrette(['resume', id, '--yes'], {
      cwd: project,
      ...(crashAt === undefined ? {} : { crashAt }),
    });
  }
  expect(kills).toBeGreaterThan(1);
  expect(stateOf(project)).toMatchObject({ phases: { implement: { iterations: 3 } } });
  expect(git(project, 'log', '--format=%s').split('\n')).toEqual([
    'charrette: implement review iteration 1 fixes',
    'Task 1.3: Store 1.3',
    'Task 1.2: Store 1.2',
    'Task 1.1: Store 1.1',
    'Begin',
  ]);
  expect(readOf(project, 'implementation-log.md').match(/^## Task \S+/gm)).toEqual([
    '## Task 1.1:',
    '## Task 1.2:',
    '## Task 1.3:',
  ]);
  expect(readOf(project, '.review-history.md').match(/^## Iteration \d/gm)).toHaveLength(3);
  expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
});
