import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentEvent, AgentTask } from '../port.ts';
import { createAgent } from '../registry.ts';
import type { World } from '../settings.ts';

let base: string;
let lanes = 0;

beforeAll(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'acp-agent-'));
  await mkdir(path.join(base, 'project'));
});
afterAll(() => rm(base, { recursive: true }));

const program = path.join(import.meta.dirname, '../fixtures/agents/acp-agent.mjs');

function world(): World {
  return {
    environment: { PATH: process.env['PATH'] },
    home: path.join(base, 'user'),
    platform: process.platform,
    architecture: process.arch,
    jail: 'off',
  };
}

async function call(
  prompt: string,
  more: Partial<AgentTask> & { env?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const { env = {}, signal = new AbortController().signal, ...rest } = more;
  const laneDirectory = path.join(base, `lane-${++lanes}`);
  await mkdir(laneDirectory);
  const agent = await createAgent(
    { id: 'little', protocol: 'acp', command: [process.execPath, program], env },
    world(),
  );
  const events: AgentEvent[] = [];
  const task: AgentTask = {
    task: 'sketch',
    run: 'r',
    seat: 's',
    attempt: 1,
    prompt,
    directory: path.join(base, 'project'),
    access: 'read',
    limits: { wallMs: 60_000, idleMs: 60_000 },
    laneDirectory,
    ...rest,
  };
  const result = await agent.call(task, { signal, onEvent: (event) => events.push(event) });
  return { agent, result, events };
}

test('answers, with banners ignored, at schema-only trust', async () => {
  const { agent, result } = await call('say hello there');
  expect(agent.capabilities.trust).toBe('schema-only');
  expect(agent.family).toBe('other');
  expect(result).toMatchObject({ kind: 'ok', text: 'hello there', usage: { basis: 'unknown' } });
});

test('finds a JSON answer and reports a missing one', async () => {
  const schema = { type: 'object' };
  expect((await call('say {"vote":"YES"}', { schema })).result).toMatchObject({
    kind: 'ok',
    value: { vote: 'YES' },
  });
  expect((await call('say perhaps', { schema })).result.kind).toBe('bad_output');
});

test.each([
  ['read', 'read', 'allow_once'],
  ['search', 'read', 'allow_once'],
  ['edit', 'read', 'reject_once'],
  ['execute', 'read', 'reject_once'],
  ['fetch', 'read', 'reject_once'],
  ['other', 'read', 'reject_once'],
  ['edit', 'write', 'allow_once'],
] as const)('asked for %s with %s access: %s', async (kind, access, outcome) => {
  const { result, events } = await call(`ask ${kind}`, { access });
  expect(result).toMatchObject({ kind: 'ok', text: `was told ${outcome}`, toolCalls: 1 });
  expect(events).toContainEqual({ type: 'tool-end', tool: kind, failed: false });
});

test('an error in place of an answer is a failure', async () => {
  const { result } = await call('say API Error: 429 rate limit reached');
  expect(result).toMatchObject({ kind: 'rate_limit' });
});

test('logs in with a key when it is asked to', async () => {
  expect((await call('say hi', { env: { ACP_NEEDS_LOGIN: '1' } })).result).toMatchObject({
    kind: 'ok',
    text: 'hi',
  });
});

test('resumes a conversation in a new process without its past as the answer', async () => {
  const first = await call('say one');
  const resume = { session: first.result.session ?? '', fork: false };
  expect((await call('say two', { resume })).result).toMatchObject({ kind: 'ok', text: 'two' });
});

test('a program that dies is a crash, with its exit code', async () => {
  expect((await call('die')).result).toMatchObject({ kind: 'crash', exitCode: 7 });
});

test('silence ends the call', async () => {
  const { result } = await call('hang', { limits: { wallMs: 60_000, idleMs: 600 } });
  expect(result).toMatchObject({ kind: 'timeout' });
});

test.each(['hang', 'deaf'])('%s is cancelled, with or without an answer', async (prompt) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 700);
  const { result } = await call(prompt, { signal: controller.signal });
  expect(result).toMatchObject({ kind: 'cancelled' });
});

test('rejects an agent without a command', async () => {
  await expect(createAgent({ id: 'x', protocol: 'acp' }, world())).rejects.toThrow(/no "command"/);
});

test.each([
  [['/opt/node_modules/@google/gemini-cli/bundle/gemini.js', '--acp'], 'google'],
  [['goose', 'acp'], 'goose'],
  [['/home/codex/my-agent'], 'other'],
])('%j shares the login of %s', async (command, family) => {
  expect((await createAgent({ id: 'x', protocol: 'acp', command }, world())).family).toBe(family);
});
