/** Real Claude Code and Codex on a scripted subscription: used up, served with a warning, or billed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resetSeconds } from '../model-server/quota.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { type Bench, openBench, type Program } from '../real-agents/harness.ts';
import { installAgents } from '../real-agents/install.ts';

let server: ModelServer;
let bench: Bench;

beforeAll(async () => {
  await installAgents(['claude', 'codex'], (line) => process.stderr.write(`${line}\n`));
  server = await startModelServer({ rules: [{ when: /Say hello/, reply: { say: 'hello' } }] });
  bench = openBench(2);
});
afterAll(async () => {
  await server?.close();
  bench?.remove();
});

const variables = {
  claude: { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-fake' },
  codex: { OPENAI_API_KEY: 'key-of-the-test' },
} as const;

async function caller(program: Program & keyof typeof variables, fault: string) {
  const run = `${program}-${fault}`;
  const url = `${server.url}/fault/${fault}/${run}`;
  const { agent } = await bench.usersAgent(program, url, { variables: variables[program] });
  return {
    call: async () => (await bench.call(agent, () => 'Say hello.')).result,
    requests: () => server.callsOf(run).length,
  };
}

test.each(['claude', 'codex'] as const)(
  'Q-060: %s is refused for seconds, and answers after the reset',
  async (program) => {
    const { call, requests } = await caller(program, 'quota-5hx1');
    const before = Date.now();
    const refused = await call();
    expect(refused).toMatchObject({ kind: 'rate_limit', limit: { window: 'five_hour' } });
    const { resetsAt = 0 } = refused.limit ?? {};
    expect(resetsAt).toBeGreaterThan(before);
    expect(resetsAt).toBeLessThanOrEqual(Date.now() + resetSeconds * 1000);
    expect(requests()).toBe(1);
    await sleep(Math.max(0, resetsAt - Date.now()));
    expect(await call()).toMatchObject({ kind: 'ok', text: 'hello' });
  },
);

test.each(['claude', 'codex'] as const)(
  'Q-011 Q-060: %s is refused for days, and not called again',
  async (program) => {
    const { call, requests } = await caller(program, 'quota-7d');
    const refused = await call();
    expect(refused).toMatchObject({ kind: 'quota', limit: { window: 'seven_day' } });
    expect((refused.limit?.resetsAt ?? 0) - Date.now()).toBeGreaterThan(47 * 3_600_000);
    expect(await call()).toMatchObject({ kind: 'quota' });
    expect(requests()).toBe(1);
  },
);

test.each(['claude', 'codex'] as const)(
  'Q-042 Q-060: %s served with a warning says how much is used',
  async (program) => {
    const { call } = await caller(program, 'warning');
    expect(await call()).toMatchObject({ kind: 'ok', text: 'hello', limit: { usedShare: 0.81 } });
  },
);

test('Q-003 Q-060: extra usage is an answer that says it is billed', async () => {
  const { call } = await caller('claude', 'overage');
  expect(await call()).toMatchObject({ kind: 'ok', text: 'hello', limit: { billed: true } });
});

test.each(['claude', 'codex'] as const)(
  'Q-001 Q-060: a 402 of %s is a used-up account or money, never a pause',
  async (program) => {
    const { call } = await caller(program, '402');
    expect(['quota', 'limit']).toContain((await call()).kind);
  },
);
