import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Walk, walk } from '../support/design-walk.ts';
import { charrette, makeProject, panelAgent, runsOf } from '../support/program.ts';

test('L-532, L-562, L-566: a plan that ignores a vote is rejected where votes bind and accepted where they advise', async () => {
  const binding = await walk(['--quick', '--dialectic', 'binding'], { mode: 'refuses' });
  expect(binding.ended.code).toBe(6);
  expect(binding.artifacts['plan-check.json']).toContain(
    'voted, but the plan does not say how it follows the resolution',
  );
  expect(binding.ended.stderr).toContain('the plan does not follow the voted DECISION_1');
  const advisory = await walk(['--quick', '--dialectic', 'advisory'], { mode: 'refuses' });
  expect(advisory.ended.code).toBe(0);
  expect(advisory.artifacts['plan-check.json']).toContain('advised; the plan does not mention it');
  // What a run said of its plan is what the command says of it.
  const check = async ({ project }: Walk) => (await charrette(['plan', 'check'], { cwd: project })).code;
  expect([await check(binding), await check(advisory)]).toEqual([6, 0]);
});

test('L-377, L-481, L-511, L-594, L-780: no debates without debaters, no vote without findings, and the files still exist; a null device as session is not a caller', async () => {
  const { ended, artifacts, calls } = await walk(['--agents', 'static', '--solo', '--session-env', devNull]);
  expect(ended.code).toBe(0);
  expect(ended.stdout).toContain('## Implementation Plan');
  for (const name of ['null.health', 'design-export', 'timing-ledger.tsv'])
    expect(existsSync(path.join(path.dirname(devNull), name)), name).toBe(false);
  expect(calls).toEqual([]);
  expect(artifacts['voting-tally.md']).not.toBe('');
  for (const name of [
    'accepted-plan-findings.md',
    'rejected-findings.md',
    'oos.md',
    'contested-decisions.md',
  ]) {
    expect(artifacts[name], name).toBeDefined();
  }
  expect(artifacts['dialectic-ballot.txt']).toBeUndefined();
});

test('L-150, L-157: step 1 makes a branch from the facts of step 0, and only when it is on', async () => {
  const { project } = await makeProject();
  const ended = await charrette(
    ['design', '--auto', '--yes', '--solo', '--agents', 'static', 'cancel an order'],
    {
      cwd: project,
    },
  );
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  const record = JSON.parse(
    readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8'),
  ) as { inputs: { entry: { facts: { userPrefix: string } } } };
  const branch = execFileSync('git', ['branch', '--show-current'], { cwd: project, encoding: 'utf8' }).trim();
  expect(branch).toBe(`${record.inputs.entry.facts.userPrefix}/cancel-an-order`);
  expect(ended.stderr).toContain(`created ${branch}`);
});

test('without a model there is one brief, whatever panel was asked for, and no one is called to argue or vote', async () => {
  const { ended, events, artifacts, project } = await walk(['--agents', 'static', '--panel', 'wide']);
  expect(ended.code).toBe(0);
  const tasks = events.flatMap((event) => (event.type === 'lane-queue' ? [event.task] : []));
  expect(new Set(tasks)).toEqual(new Set(['plan', 'diagram']));
  expect(ended.stderr).toContain('2a.5: dialectic — no contested decisions');
  expect(ended.stdout).toContain('## Implementation Plan (no model, rule-based)');
  expect(artifacts['plan.txt']).toMatch(/No model was used\. .*npm install -g .*npm install -g /);
  const report = await charrette(['report'], { cwd: project });
  expect(report.stdout).toContain('- Made by: no model, rule-based');
});

test('in a panel the scout takes no seat; its brief is data in the prompts of those who sketch and plan', async () => {
  const { ended, root, artifacts, events } = await walk(['--agents', 'one,two,static']);
  expect(ended.code, ended.stderr).toBe(0);
  const lanes = events.flatMap((event) => (event.type === 'lane-queue' ? [event] : []));
  expect(lanes.filter(({ lane }) => lane === 'scout').map(({ task }) => task)).toEqual(['evidence']);
  expect(lanes.filter(({ seat }) => seat.includes('static'))).toEqual([]);
  expect(artifacts['scout-brief.txt']).toContain('[no model, rule-based]');
  expect(artifacts['scout-brief.txt']).not.toContain('npm install -g');
  const prompt = (lane: string) =>
    (JSON.parse(readFileSync(path.join(root, 'lanes', `${lane}.json`), 'utf8')) as { prompt: string }).prompt;
  const [sketch = ''] = lanes.flatMap(({ task, lane }) => (task === 'sketch' ? [lane] : []));
  const evidence = /<repository_search[^>]*>[\s\S]*This is a brief, not a design[\s\S]*<\/repository_search/;
  for (const lane of [sketch, 'plan']) expect(prompt(lane)).toMatch(evidence);
  const [judge = ''] = lanes.flatMap(({ task, lane }) => (task === 'plan-review' ? [lane] : []));
  expect(prompt(judge)).not.toContain('repository_search');
});

const debating = ['debate-thesis', 'debate-antithesis', 'judge'];

test.each<[string, string[], { mode?: 'agrees' }, string[]]>([
  [
    'nothing contested, nothing found',
    [],
    { mode: 'agrees' },
    [...debating, 'merge-findings', 'vote', 'revise-plan'],
  ],
  ['--dialectic off', ['--dialectic', 'off'], {}, debating],
  ['--sketches 0', ['--sketches', '0'], {}, ['sketch', 'synthesis', ...debating]],
])('skipped steps call nobody: %s', async (_, flags, options, skipped) => {
  const { ended, events, calls, root } = await walk(['--quick', '--panel', 'pair', ...flags], options);
  expect(ended.code, ended.stderr).toBe(0);
  const ledger = readFileSync(path.join(root, 'ledger.jsonl'), 'utf8').trim().split('\n');
  const called = new Set([
    ...events.flatMap((event) => (event.type === 'lane-queue' ? [event.task] : [])),
    ...ledger.map((line) => (JSON.parse(line) as { task: string }).task),
    ...calls.map((line) => line.split(' ')[0] ?? ''),
  ]);
  expect([...called]).toEqual(expect.arrayContaining(['plan', 'plan-review']));
  expect(skipped.filter((task) => called.has(task))).toEqual([]);
});

test('L-762: a plan that changes no source file gets no diagram, and the step says so', async () => {
  const { ended, calls, artifacts } = await walk(['--solo'], { mode: 'documents' });
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/^⏩ 3b: arch diagram — the plan changes no source file \(\d+s\)$/m);
  expect(calls.filter((call) => call.startsWith('diagram '))).toEqual([]);
  expect(artifacts['architecture-diagram.md']).toBeUndefined();
});

test('a project replaces stances and prompt parts; an empty file removes a part; schema and data rule stay', async () => {
  const { project } = await makeProject();
  const word = (file: string, text: string) => {
    const target = path.join(project, '.charrette', 'prompts', file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  word('sketch/stance-arch.md', 'Your stance: keep our hexagons closed.\n');
  word('plan-review/competition.md', '');
  word('sketch/answer.md', 'Answer as you like.\n');
  const ended = await charrette(['design', '--auto', '--yes', '--no-branch', 'cancel an order'], {
    cwd: project,
  });
  expect(ended.code, ended.stderr).toBe(0);
  const [run = ''] = runsOf(project);
  const lanes = path.join(project, '.charrette', 'runs', run, 'lanes');
  const prompt = (seat: string) => {
    const name = readdirSync(lanes).find((file) => file.endsWith(`-${seat}.json`)) ?? '';
    return (JSON.parse(readFileSync(path.join(lanes, name), 'utf8')) as { prompt: string }).prompt;
  };
  expect(prompt('sketch-arch')).toContain('keep our hexagons closed');
  expect(prompt('sketch-arch')).not.toContain('Press on structure that lasts');
  expect(prompt('sketch-edge')).toContain('Press on what goes wrong');
  expect(prompt('plan-arch')).not.toContain('+1');
  expect(prompt('sketch-arch')).toContain('## Answer');
  expect(prompt('sketch-arch')).not.toContain('Answer as you like');
});

test('a panel of the configuration seats its agents with its stances, and the record has both', async () => {
  const { project, calls } = await makeProject();
  const command = ['node', panelAgent, calls, '0', 'none', 'plain'];
  const agents = Object.fromEntries(
    ['one', 'two', 'three'].map((id) => [id, { protocol: 'exec', command, family: id }]),
  );
  const panels = {
    mine: {
      author: 'two',
      sketch: [
        { agent: 'one', stance: 'privacy' },
        { agent: 'three', model: 'big' },
      ],
      review: [{ agent: 'one' }, { agent: 'three' }, { agent: 'one', stance: 'privacy' }],
      judge: [{}, {}, {}],
      vote: [{}, {}, {}],
    },
  };
  const stances = { privacy: 'Press on personal data.' };
  const file = path.join(project, '.charrette', 'config.json');
  writeFileSync(file, JSON.stringify({ detect: false, agents, panels, stances }));
  const flags = ['design', '--panel', 'mine', '--no-branch', '--auto', '--yes', 'let customers cancel'];
  const planned = await charrette([...flags, '--dry-run', '--json'], { cwd: project });
  expect(JSON.parse(planned.stdout)).toMatchObject({
    seats: {
      sketch: ['One-Privacy', 'Three-Big-Generic'],
      review: ['One-Generic', 'Three-Generic', 'One-Privacy'],
      author: ['Author (two)'],
    },
  });
  const ended = await charrette(flags, { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
  const root = path.join(project, '.charrette', 'runs', runsOf(project)[0] ?? '');
  const promptOf = (lane: string) => readFileSync(path.join(root, 'lanes', lane, 'prompt.md'), 'utf8');
  expect(promptOf('one-sketch-privacy-1')).toContain('Your stance: Press on personal data.');
  expect(promptOf('one-plan-privacy-1')).toContain('Your stance: Press on personal data.');
  expect(readdirSync(path.join(root, 'lanes'))).toEqual(
    expect.arrayContaining(['three-big-sketch-generic-1', 'vote-one-1', 'vote-two-1', 'vote-three-1']),
  );
  const record = JSON.parse(readFileSync(path.join(root, 'run.json'), 'utf8')) as { inputs: object };
  expect(record.inputs).toMatchObject({ panel: 'mine', seats: { stances } });
}, 120_000);
