import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { faultCase } from '../../support/fault-case.ts';
import { endAll, expectWhole, hasPostgres, reaches, startRun } from '../../support/fault-run.ts';
import { makeLiteProject } from '../../support/lite-project.ts';
import { type LiveProgram, until } from '../../support/live-program.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { callsIn, charrette, holdTask, makeProject, runsOf } from '../../support/program.ts';
import { damageOf } from '../../support/whole-run.ts';

afterAll(endAll);

const design = ['design', '--auto', '--yes', '--quick', '--dialectic', 'off', '--json'];
const features = ['limit uploads per client', 'search by invoice number'] as const;

/** Two designs in one clone at the same time: each with its own branch, its own questions and its own record. */
async function twoDesigns(env: Record<string, string>): Promise<string> {
  const { project, calls } = await makeProject({ delayMs: 200 });
  // Both begin at the same branch: the second would rightly stay on a branch that the first has made.
  const both = await Promise.all(
    features.map((feature) => startRun([...design, feature], { cwd: project, env }).ended),
  );
  const runs = both.map(({ code, stdout, stderr }) => {
    expect(code, stderr).toBe(0);
    return String(JSON.parse(stdout).run);
  });
  expect(runsOf(project)).toEqual([...runs].sort());
  runs.forEach((run, index) => {
    // Calls are counted in one file for both; each is there once for each run.
    expect(damageOf(project, run, [])).toEqual([]);
    const prompts = promptsOf(project, run);
    expect(prompts).toContain(features[index]);
    expect(prompts).not.toContain(features[1 - index]);
    expect(prompts).not.toContain(runs[1 - index]);
  });
  expect(most(callsIn(calls))).toBe(2);
  const branches = execFileSync('git', ['branch', '--format=%(refname:short)'], {
    cwd: project,
    encoding: 'utf8',
  });
  for (const word of ['uploads', 'invoice']) expect(branches).toContain(word);
  return 'each its own branch, prompts and artifacts, both exit 0';
}

faultCase('two designs in one clone', 'embedded store', () => twoDesigns({}));
faultCase('two executions of one plan', 'embedded store', () => twoExecutions({}));

faultCase('two processes resume one run', 'embedded store', () => twoResumes({}));

describe.skipIf(!hasPostgres())('on PostgreSQL', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
  });
  afterAll(() => server.stop());

  faultCase('two designs in one clone', 'PostgreSQL', () =>
    twoDesigns({ CHARRETTE_DATABASE_URL: server.url }),
  );

  faultCase('two executions of one plan', 'PostgreSQL', () =>
    twoExecutions({ CHARRETTE_DATABASE_URL: server.url }),
  );

  faultCase('two processes resume one run', 'PostgreSQL', () =>
    twoResumes({ CHARRETTE_DATABASE_URL: server.url }),
  );
});

/** Neither passes the plan until one of them has learned that the other has the run. */
async function twoResumes(env: Record<string, string>): Promise<string> {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan');
  const isPlan = (call: string) => call.startsWith('plan ');
  const plans = () => callsIn(calls).filter(isPlan).length;
  const killed = startRun([...design, 'limits'], { cwd: project, env });
  await reaches(killed, () => plans() === 1);
  killed.kill('SIGKILL');
  await killed.ended;
  const [run = ''] = runsOf(project);
  const both = [1, 2].map(() => startRun(['resume', run], { cwd: project, env }));
  const told = ({ stderr }: LiveProgram) => /(?:held by|running in) process (\d+)/.exec(stderr())?.[1];
  await until(() => both.some(told) && plans() === 2, 120_000);
  release();
  const [first, second] = both;
  const all = await Promise.all(both.map(({ ended }) => ended));
  const owner = first !== undefined && told(first) === undefined ? first : second;
  const other = owner === first ? second : first;
  for (const { code, stderr } of all)
    if (code !== 0) expect(stderr).toContain(`${run} is running in process`);
  expect((await owner?.ended)?.code).toBe(0);
  expect(other && told(other)).toBe(String(owner?.child.pid));
  // The plan was in progress when the first process was killed; nothing else is repeated.
  expect(plans()).toBe(2);
  expectWhole({ project, calls }, run, isPlan);
  return 'one does it, the other names it, no call repeated';
}

/** P-100: a handoff is used by one run; the other learns which. */
async function twoExecutions(env: Record<string, string>): Promise<string> {
  const { project, git } = makeLiteProject();
  const task = 'add the numbers and their total';
  const planned = await charrette(['lite-plan', '-y', '--plan-only', '--json', task], { cwd: project, env });
  expect(planned.code, planned.stderr).toBe(0);
  const plan = String(JSON.parse(planned.stdout).run);
  const execute = ['lite-execute', '--run', plan, '-y', '--json'];
  const both = await Promise.all([1, 2].map(() => startRun(execute, { cwd: project, env }).ended));
  const [done, refused] = both.map(({ stdout }) => JSON.parse(stdout)).sort((one) => (one.run ? -1 : 1));
  expect(done).toMatchObject({ status: 'done' });
  expect(refused).toMatchObject({
    error: { code: 'plan-invalid', message: expect.stringContaining(done.run) },
  });
  expect(git('status', '--short')).toBe('');
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  return 'one does it, the other names it, exit 2';
}

function promptsOf(project: string, run: string): string {
  const lanes = path.join(project, '.charrette', 'runs', run, 'lanes');
  return readdirSync(lanes)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(path.join(lanes, name), 'utf8'))
    .join('\n');
}

/** How often the most frequent entry occurs. */
function most(list: readonly string[]): number {
  return Math.max(...list.map((entry) => list.filter((other) => other === entry).length));
}
