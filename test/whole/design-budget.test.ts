import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readEvents } from '../../src/engine/event-log.ts';
import { readLedger } from '../../src/engine/ledger.ts';
import { charrette, makeProject, runsOf } from '../support/program.ts';

const pricedAgent = path.resolve(import.meta.dirname, '..', 'agents', 'priced-agent.mjs');

/** Two agents that say what they cost: a thousand tokens and one cent a call; with `tokens` they say nothing of money. */
async function pricedProject(says: string[] = [], model?: string): Promise<string> {
  const made = await makeProject();
  const agent = { protocol: 'claude', command: ['node', pricedAgent, ...says], model };
  const config = {
    detect: false,
    agents: { one: { ...agent, family: 'one' }, two: { ...agent, family: 'two' } },
    prices: { 'house-model': { input: 10, cachedInput: 10, output: 10 } },
  };
  writeFileSync(path.join(made.project, '.charrette', 'config.json'), JSON.stringify(config));
  return made.project;
}

const budgeted = ['design', '--auto', '--yes', '--no-branch', '--max-usd', '0.04'];

/** The tasks of all calls that a project's runs made. */
const callsOf = (project: string) =>
  runsOf(project).flatMap((run) =>
    readLedger(path.join(project, '.charrette', 'runs', run, 'ledger.jsonl')).map(({ task }) => task),
  );

test('L-884, F-36: a used-up budget pauses before the next launch, fails no agent, and continues on request', async () => {
  const project = await pricedProject();
  const paused = await charrette(
    ['design', '--auto', '--yes', '--no-branch', '--json', '--max-usd', '0.04', 'add rate limiting'],
    { cwd: project },
  );
  expect(paused.code).toBe(7);
  const { run, questions, cost } = JSON.parse(paused.stdout) as {
    run: string;
    questions: { id: string; text: string }[];
    cost: { calls: number; usd: number };
  };
  expect(questions[0]?.text).toContain('The budget is used up');
  expect(cost.usd).toBeGreaterThanOrEqual(0.04);
  // The sketches ran together; nothing after them was launched.
  expect(new Set(callsOf(project))).toEqual(new Set(['sketch']));
  const events = readEvents(path.join(project, '.charrette', 'runs', run, 'events.jsonl'));
  expect(events.filter(({ type }) => type === 'warning' || type === 'lane-retry')).toEqual([]);
  const ended = await charrette(['answer', run, `${questions[0]?.id}=continue`], { cwd: project });
  expect(ended.code).toBe(0);
  expect(callsOf(project).filter((call) => call === 'sketch')).toHaveLength(4);
});

test('L-884: stopped at its limit, a run names the command that continues with a higher one and repeats no call', async () => {
  const project = await pricedProject();
  const paused = await charrette([...budgeted, 'add rate limiting'], { cwd: project });
  expect(paused.code).toBe(7);
  // The question has no recommended answer, so `--yes` would not help.
  expect(paused.stderr).toContain('Paused. Answer as shown.');
  expect(paused.stderr).not.toContain('resume');
  const [run = ''] = runsOf(project);
  const stopped = await charrette(['answer', run, 'budget-2a=stop', '--json'], { cwd: project });
  expect(stopped.code).toBe(7);
  const { error } = JSON.parse(stopped.stdout) as { error: { code: string; fix: string } };
  expect(error).toMatchObject({
    code: 'budget-used-up',
    fix: expect.stringContaining(`\`charrette design --from-run ${run} --max-usd N "…"\``),
  });
  const again = ['design', '--from-run', run, '--max-usd', '5', '--auto', '--yes', '--no-branch'];
  const ended = await charrette([...again, 'add rate limiting'], { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
  expect(callsOf(project).filter((call) => call === 'sketch')).toHaveLength(4);
});

test('L-884: a limit on money holds for agents that report tokens alone, at the price of their model', async () => {
  const project = await pricedProject(['tokens'], 'house-model');
  const paused = await charrette([...budgeted, '--json', 'add rate limiting'], { cwd: project });
  expect(paused.code, paused.stderr).toBe(7);
  const { questions } = JSON.parse(paused.stdout) as { questions: { text: string }[] };
  expect(questions[0]?.text).toContain('$0.04');
  expect(new Set(callsOf(project))).toEqual(new Set(['sketch']));
});

test('L-884: a limit on tokens holds for agents that report none, by what they were sent and answered', async () => {
  const { project } = await makeProject();
  const words = ['design', '--auto', '--yes', '--no-branch', '--json', '--max-tokens', '500'];
  const paused = await charrette([...words, 'add rate limiting'], { cwd: project });
  expect(paused.code, paused.stderr).toBe(7);
  const { questions } = JSON.parse(paused.stdout) as { questions: { text: string }[] };
  expect(questions[0]?.text).toMatch(/^The budget is used up \(about \d+ tokens, /);
  expect(new Set(callsOf(project))).toEqual(new Set(['sketch']));
});

test('L-884: reports calls without a known price once', async () => {
  const project = await pricedProject(['tokens']);
  const ended = await charrette([...budgeted, 'add rate limiting'], { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
  const [run = ''] = runsOf(project);
  const events = readEvents(path.join(project, '.charrette', 'runs', run, 'events.jsonl'));
  expect(events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))).toEqual([
    expect.stringContaining('The limit on money cannot count 4 calls so far'),
  ]);
});

test('F-36: the report shows cost per phase, seat and accepted finding, as text and as JSON', async () => {
  const project = await pricedProject();
  const ended = await charrette(['design', '--auto', '--yes', '--no-branch', 'add rate limiting'], {
    cwd: project,
  });
  expect(ended.code).toBe(0);
  const made = callsOf(project).length;
  const { stdout } = await charrette(['report', '--json'], { cwd: project });
  const report = JSON.parse(stdout) as {
    phases: { name: string; usdMeasured: number; calls: number }[];
    seats: { name: string; calls: number }[];
    acceptedFindings: number;
    perAcceptedFinding: { usdMeasured: number };
  };
  expect(report.phases.map(({ name }) => name)).toEqual(['2a', '2a.5', '2b', '3', '3b']);
  expect(report.phases.reduce((sum, { calls: count }) => sum + count, 0)).toBe(made);
  expect(report.seats.length).toBeGreaterThan(8);
  expect(report.acceptedFindings).toBe(1);
  expect(report.perAcceptedFinding.usdMeasured).toBeCloseTo(made * 0.01, 6);
  const text = (await charrette(['report'], { cwd: project })).stdout;
  expect(text).toContain(`- Per accepted finding: $${(made * 0.01).toFixed(4)} measured, ${made} calls`);
  expect(text).toContain('## Cost by phase');
  expect(text).toContain('## Cost by seat');
});

test('a budget holds for a whole comparison and pauses it between two tasks', async () => {
  const project = await pricedProject();
  const tasks = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-tasks-')), 'tasks.md');
  writeFileSync(tasks, '- add rate limiting\n- cancel an order\n');
  const paused = await charrette(['compare', '--tasks', tasks, '--yes', '--json', '--max-tokens', '5000'], {
    cwd: project,
  });
  expect(paused.code).toBe(7);
  const { run, questions } = JSON.parse(paused.stdout) as { run: string; questions: { id: string }[] };
  expect(questions).toMatchObject([{ id: 'budget-task-2' }]);
  const before = callsOf(project).length;
  const stopped = await charrette(['answer', run, 'budget-task-2=stop', '--json'], { cwd: project });
  expect(stopped.code).toBe(7);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ error: { code: 'budget-used-up' } });
  expect(callsOf(project)).toHaveLength(before);
  expect(runsOf(project)).toEqual(['', '-1-panel', '-1-solo'].map((end) => `${run}${end}`));
  expect(callsOf(project).filter((task) => task === 'compare')).toHaveLength(2);
});
