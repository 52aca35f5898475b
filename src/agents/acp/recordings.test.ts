import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { finishReading } from '../drivers/reading.ts';
import type { LaneKind } from '../port.ts';
import type { ProcessExit, ProcessRequest, RunningProcess } from '../run-process.ts';
import { exchange } from './exchange.ts';

const folder = path.join(import.meta.dirname, '../fixtures/acp');

type Message = { id?: number | string; method?: string; [key: string]: unknown };
type Frame = { from: 'client' | 'agent'; message: Message };

function framesOf(name: string): Frame[] {
  const lines = readFileSync(path.join(folder, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const reading = readJson(line);
    if (!reading.ok || !isRecord(reading.value)) throw new Error(line);
    return reading.value as unknown as Frame;
  });
}

/** A process that replays a real agent; at the end of the recording it times out and is ended. */
function replay(name: string, onLine: ProcessRequest['onLine']): RunningProcess & { heard: Message[] } {
  const frames = framesOf(name);
  const heard: Message[] = [];
  let leave: (exit: Partial<ProcessExit>) => void = () => undefined;
  const exited = new Promise<ProcessExit>((resolve) => {
    leave = (exit) =>
      resolve({
        stderr: '',
        stdout: '',
        outputBytes: 0,
        durationMs: 1,
        survivors: 0,
        ...exit,
      });
  });
  const say = (message: Message) => onLine(JSON.stringify(message));
  const answer = (message: Message) => {
    const at = frames.findIndex(
      ({ from, message: { method } }) => from === 'client' && method === message.method,
    );
    if (at === -1) {
      say({ jsonrpc: '2.0', id: message.id, result: {} });
      return;
    }
    const recorded = frames[at]?.message.id;
    for (const { from, message: next } of frames.slice(at + 1)) {
      if (from === 'client' && next.method !== undefined) break;
      if (from === 'agent')
        say(next.id === recorded && next.method === undefined ? { ...next, id: message.id } : next);
      if (from === 'agent' && next.id === recorded && next.method === undefined) return;
    }
    leave({ ended: 'idle' });
  };
  return {
    pid: 1,
    heard,
    write: (text) => {
      const reading = readJson(text);
      if (!reading.ok || !isRecord(reading.value)) throw new Error(text);
      const message = reading.value as Message;
      heard.push(message);
      if (message.method !== undefined && message.id !== undefined) setImmediate(() => answer(message));
    },
    closeInput: () => leave({ code: 0 }),
    end: () => leave({ code: 0 }),
    exited,
  };
}

async function play(name: string, resume?: string) {
  let process: ReturnType<typeof replay> | undefined;
  const { reading, exit } = await exchange({
    task: { ...task, access: 'read' },
    directory: '/home/dev/project',
    prompt: 'Look.',
    jailed: false,
    ...(resume === undefined ? {} : { resume }),
    context: { signal: new AbortController().signal, onEvent: () => undefined },
    start: ({ onLine }) => {
      process = replay(name, onLine);
      return process;
    },
  });
  return { result: finishReading(reading, exit, { resumed: false }), heard: process?.heard ?? [] };
}

const task = {
  task: 'sketch',
  run: 'r',
  seat: 's',
  attempt: 1,
  prompt: 'Look.',
  directory: '/home/dev/project',
  limits: { wallMs: 1000, idleMs: 1000 },
  laneDirectory: '/tmp',
} as const;

const answered = /^FAKE-ANSWER prompts=\d tools=1 last=.*(PLUGH-7741|declined)/s;

/** What real agents did, and what it must be taken for. */
const expected: Record<string, Partial<Record<string, LaneKind>>> = {
  claude: {
    ok: 'ok',
    '401': 'timeout',
    '429x1': 'ok',
    '500': 'timeout',
    toolong: 'context_too_long',
    truncated: 'stream',
    connrefused: 'timeout',
  },
  codex: {
    ok: 'ok',
    '401': 'auth',
    '429x1': 'ok',
    '500': 'server',
    toolong: 'context_too_long',
    truncated: 'stream',
    connrefused: 'timeout',
  },
  copilot: {
    ok: 'ok',
    '401': 'auth',
    '429x1': 'ok',
    '500': 'server',
    toolong: 'context_too_long',
    truncated: 'stream',
    connrefused: 'network',
  },
  gemini: {
    ok: 'ok',
    '401': 'auth',
    '429x1': 'ok',
    '500': 'timeout',
    toolong: 'context_too_long',
    truncated: 'stream',
    connrefused: 'timeout',
  },
  goose: {
    ok: 'ok',
    '401': 'auth',
    '429x1': 'ok',
    '500': 'server',
    toolong: 'context_too_long',
    truncated: 'ok',
    connrefused: 'network',
  },
  opencode: {
    ok: 'ok',
    '401': 'auth',
    '429x1': 'ok',
    '500': 'timeout',
    toolong: 'context_too_long',
    truncated: 'timeout',
    connrefused: 'timeout',
  },
};

const cases = Object.entries(expected).flatMap(([agent, kinds]) =>
  Object.entries(kinds).map(([name, kind]) => ({
    agent,
    name,
    kind,
    file: `${agent}-${name === 'ok' ? 'ok' : `fault-${name}`}`,
  })),
);

test.each(cases)('$agent, $name: $kind', async ({ name, kind, file }) => {
  const { result } = await play(file);
  expect(result).toMatchObject({ kind });
  if (name === 'ok' || name === '429x1') expect(result.text).toMatch(answered);
  if (kind !== 'ok') expect(result.message).toMatch(/\w/);
});

test.each([
  ['claude', { basis: 'measured', inputTokens: 2400, cachedInputTokens: 800, outputTokens: 68 }],
  ['codex', { basis: 'measured', inputTokens: 2400, cachedInputTokens: 800, outputTokens: 68 }],
  ['copilot', { basis: 'measured', inputTokens: 2400, cachedInputTokens: 800, outputTokens: 68 }],
  ['gemini', { basis: 'measured', inputTokens: 2400, cachedInputTokens: 0, outputTokens: 68 }],
  ['goose', { basis: 'estimated', inputTokens: 1200, cachedInputTokens: 0, outputTokens: 34 }],
  ['opencode', { basis: 'estimated', inputTokens: 1200, cachedInputTokens: 400, outputTokens: 34 }],
])('%s: usage says what it covers', async (agent, usage) => {
  expect((await play(`${agent}-ok`)).result.usage).toEqual(usage);
});

test.each([
  ['claude', 'session/set_mode', { modeId: 'plan' }],
  ['codex', 'session/set_mode', { modeId: 'read-only' }],
  ['copilot', 'session/set_mode', { modeId: expect.stringMatching(/#plan$/) }],
  ['gemini', 'session/set_mode', { modeId: 'plan' }],
  ['goose', 'session/set_mode', { modeId: 'approve' }],
  ['opencode', 'session/set_config_option', { configId: 'mode', value: 'plan' }],
])('%s is put into its reading mode', async (agent, method, params) => {
  const { heard } = await play(`${agent}-ok`);
  expect(heard.filter((message) => message.method === method)).toMatchObject([{ params }]);
});

test('goose asks before its shell, and is refused', async () => {
  const { heard } = await play('goose-ok');
  const answers = heard.filter(({ method, result }) => method === undefined && result !== undefined);
  expect(answers).toMatchObject([
    { result: { outcome: { outcome: 'selected', optionId: expect.stringMatching(/reject/) } } },
  ]);
});

test('a resumed session is not answered with its own past', async () => {
  const { result } = await play('claude-session-load', 'ff7bb735-b4a3-42fe-858e-9ddd9e47586c');
  expect(result.text).toBe('FAKE-ANSWER prompts=2 tools=1 last=1 export const a = 1; 2');
  expect(result.toolCalls).toBe(1);
});

test('reports a session that fails to load', async () => {
  const { result } = await play('gemini-session-load', 'c50d37f1-66b5-4535-9a88-4f936b695a71');
  expect(result).toMatchObject({
    kind: 'bad_output',
    message: expect.stringContaining('cannot be continued'),
  });
});
