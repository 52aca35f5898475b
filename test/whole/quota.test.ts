import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { callsIn, charrette, makeProject, panelAgent, runsOf } from '../support/program.ts';

/** A program that ends as Claude Code does when its window is used up, and counts its calls. */
const usedUp = (calls: string, seconds: number) => [
  'node',
  '--eval',
  `require('node:fs').appendFileSync(${JSON.stringify(`${calls}.used-up`)}, process.env.CHARRETTE_TASK + '\\n');
   console.error("You've hit your 5-hour limit · resets in ${seconds}s. It resets in ${seconds}s."); process.exit(1)`,
];

/** Ends as Claude Code does when its window is used up for another hour. */
function claudeStub(home: string): string {
  const stub = path.join(home, 'claude.mjs');
  const resetsAt = Math.round(Date.now() / 1000) + 3600;
  const lines = [
    {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt, rateLimitType: 'five_hour' },
    },
    {
      type: 'assistant',
      error: 'rate_limit',
      api_error_status: 429,
      message: { content: [{ type: 'text', text: 'limit' }] },
    },
    {
      type: 'result',
      subtype: 'success',
      is_error: true,
      api_error_status: 429,
      result: "You've hit your 5-hour limit · resets 9:53am (UTC)",
    },
  ];
  writeFileSync(
    stub,
    `process.stdout.write(${JSON.stringify(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))});
process.exit(1);
`,
  );
  return stub;
}

/** `two` answers, `one` is used up. */
async function project(): Promise<{ project: string; calls: string; used: () => string[] }> {
  const made = await makeProject();
  const file = path.join(made.project, '.charrette', 'config.json');
  const command = ['node', panelAgent, made.calls, '0', 'none', 'plain'];
  const agents = {
    one: { protocol: 'exec', command: usedUp(made.calls, 7200), family: 'one' },
    two: { protocol: 'exec', command, family: 'two' },
    three: { protocol: 'exec', command, family: 'three' },
  };
  writeFileSync(file, JSON.stringify({ detect: false, agents }));
  writeFileSync(`${made.calls}.used-up`, '');
  return { ...made, used: () => callsIn(`${made.calls}.used-up`) };
}

test('Q-001 Q-011 Q-013 Q-050: a used-up account costs no more calls than seats that begin together, and the result says what is missing', async () => {
  const { project: folder, used } = await project();
  // Outside of the project: what is known of accounts is kept there.
  const home = path.dirname(folder);
  const ended = await charrette(['design', '--auto', '--yes', '--json', 'let customers cancel an order'], {
    cwd: folder,
    env: { HOME: home },
  });
  expect([0, 6], ended.stdout + ended.stderr).toContain(ended.code);
  expect(used().length).toBeGreaterThan(0);
  expect(used().length).toBeLessThanOrEqual(2);
  const events = readFileSync(
    path.join(folder, '.charrette', 'runs', runsOf(folder)[0] ?? '', 'events.jsonl'),
    'utf8',
  );
  expect(events).toContain('"kind":"quota"');

  // The next run of this machine knows it without a call.
  const before = used().length;
  await charrette(['design', '--auto', '--yes', '--json', 'let customers cancel an order again'], {
    cwd: folder,
    env: { HOME: home },
  });
  expect(used().length).toBe(before);

  const agents = async (...words: string[]) =>
    JSON.parse(
      (await charrette(['agents', ...words, '--json'], { cwd: folder, env: { HOME: home } })).stdout,
    );
  const listed = await agents('--record');
  expect(listed.agents[0]).toMatchObject({ id: 'one', account: { usedUp: { isOver: false } } });
  expect(
    listed.record.find(({ agent }: { agent: string }) => agent === 'one').failures.quota,
  ).toBeGreaterThan(0);
  expect(await agents('retry', 'one')).toMatchObject({ wasUsedUp: true });
  expect((await agents()).agents[0].account).toBeUndefined();
}, 120_000);

test('Q-015 Q-020 Q-022: when every account is used up the run pauses with the reset, and is not called unavailable', async () => {
  const { project: folder } = await makeProject();
  const home = path.dirname(folder);
  const stub = claudeStub(home);
  const agents = { claude: { protocol: 'claude', command: ['node', stub] } };
  writeFileSync(path.join(folder, '.charrette', 'config.json'), JSON.stringify({ detect: false, agents }));
  const design = ['design', '--auto', '--yes', '--json', 'let customers cancel an order'];
  const env = { HOME: home, ANTHROPIC_API_KEY: 'fake' };
  const ended = await charrette(design, { cwd: folder, env });
  expect(ended.code, ended.stdout + ended.stderr).toBe(7);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    status: 'paused',
    questions: [{ id: 'quota', options: [{ value: 'wait' }, { value: 'stop' }] }],
  });
  const checked = await charrette(['doctor', '--probe'], { cwd: folder, env });
  expect(checked.stdout).toContain('used up until 20');
  expect(checked.stdout).not.toContain('not healthy');
  const stopped = await charrette(['answer', 'latest', 'quota=stop', '--json'], { cwd: folder, env });
  expect(stopped.code, stopped.stdout).toBe(7);
  expect(stopped.stdout).toContain('quota-used-up');
}, 120_000);

test('Q-021 Q-025: a sleeping run is listed with its time, and cancel ends it', async () => {
  const { project: folder } = await makeProject();
  const stub = claudeStub(path.dirname(folder));
  const agents = { claude: { protocol: 'claude', command: ['node', stub] } };
  writeFileSync(path.join(folder, '.charrette', 'config.json'), JSON.stringify({ detect: false, agents }));
  const env = { HOME: path.dirname(folder), ANTHROPIC_API_KEY: 'fake' };
  const design = ['design', '--on-quota', 'wait', '--auto', '--yes', '--json', 'let customers cancel'];
  const running = charrette(design, { cwd: folder, env });
  const shown = async () =>
    JSON.parse((await charrette(['runs', '--json'], { cwd: folder, env })).stdout) as {
      runs: { status: string; waits?: string }[];
    };
  let [run] = (await shown()).runs;
  for (let tries = 0; run?.waits === undefined && tries < 60; tries += 1) [run] = (await shown()).runs;
  expect(run).toMatchObject({ status: 'running', waits: expect.stringContaining('sleeping until 20') });
  const text = await charrette(['show', 'latest'], { cwd: folder, env });
  expect(text.stdout).toContain('sleeping until 20');
  await charrette(['cancel', 'latest'], { cwd: folder, env });
  await running;
  expect((await shown()).runs[0]).toMatchObject({ status: 'cancelled' });
  expect((await shown()).runs[0]?.waits).toBeUndefined();
}, 120_000);
