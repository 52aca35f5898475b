import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../../../src/agents/acp/exchange.ts';
import type { ProcessExit } from '../../../src/agents/run-process.ts';
import { isRecord, readJson } from '../../../src/base/safe-json.ts';
import { openProject } from '../../../src/service/project.ts';
import { serveEditor } from '../../../src/surfaces/acp/agent.ts';
import { serveClient } from '../../../src/surfaces/mcp/serve.ts';
import { holds, type Target } from '../target.ts';

const place = mkdtempSync(path.join(tmpdir(), 'charrette-fuzz-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
const project = path.join(place, 'project');
mkdirSync(path.join(project, '.git'), { recursive: true });
writeFileSync(path.join(place, 'secret.txt'), 'top secret');
/** Whatever a client starts ends at once. */
const context = { cwd: project, config: undefined, env: { HOME: place }, program: ['/bin/false'] };

const asked = 'are-you-still-there';
const patienceMs = 10_000;

const line = (message: Record<string, unknown>) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const lines = (...messages: Record<string, unknown>[]) => messages.map(line).join('');
const call = (id: number, name: string, given: Record<string, unknown>) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

type Streams = { input: PassThrough; output: PassThrough; signal: AbortSignal };
type Said = Record<string, unknown>;

/** Talks to a server over two streams: what it said is at hand, and one can wait for an answer. */
function connect(serve: (streams: Streams) => Promise<void>) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const answers = new Map<unknown, (answer: Said | undefined) => void>();
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const whole = (rest + text).split('\n');
    rest = whole.pop() ?? '';
    for (const one of whole) {
      const reading = readJson(one);
      holds(
        reading.ok && isRecord(reading.value) && reading.value['jsonrpc'] === '2.0',
        'every line is a message',
      );
      holds(!one.includes('top secret'), 'nothing outside is handed out');
      if (reading.ok && isRecord(reading.value) && reading.value['method'] === undefined)
        answers.get(reading.value['id'])?.(reading.value);
    }
  });
  const served = serve({ input, output, signal: stop.signal });
  return {
    input,
    ask: (id: string, method: string, params: Record<string, unknown>) => {
      const answer = new Promise<Said | undefined>((resolve) => answers.set(id, resolve));
      input.write(`\n${line({ id, method, params })}`);
      return Promise.race([answer, sleep(patienceMs, undefined, { ref: false })]);
    },
    end: async () => {
      input.end();
      stop.abort();
      const ended = await Promise.race([served.then(() => true), sleep(patienceMs, false, { ref: false })]);
      holds(ended, 'a server leaves when its client does');
    },
  };
}

const hello = { protocolVersion: 1, clientCapabilities: {} };
const mcpHello = {
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'x', version: '1' },
  },
};
const answer = (result: Record<string, unknown>) => ({ id: 'ID', result });
const update = (content: Record<string, unknown>) => ({
  method: 'session/update',
  params: { sessionId: 's', update: content },
});
const opened = lines(
  answer({
    protocolVersion: 1,
    agentInfo: { name: 'a', version: '1' },
    authMethods: [{ id: 'api-key', name: 'k' }],
  }),
  answer({ sessionId: 's', modes: { currentModeId: 'a', availableModes: [{ id: 'read-only', name: 'r' }] } }),
  answer({}),
);

export const streams: readonly Target[] = [
  {
    name: 'mcp-stream',
    reads: 'everything an MCP client may write to `charrette mcp`',
    seeds: [
      lines(mcpHello, { method: 'notifications/initialized' }, { id: 1, method: 'tools/list' }),
      lines(mcpHello, call(1, 'run_list', {}), call(2, 'run_inspect', { run: 'run-1' })),
      lines(mcpHello, call(1, 'artifact_read', { run: 'run-1', name: '../../secret.txt', limit: 10 })),
      lines(mcpHello, call(1, 'skill_lint', { paths: ['.'] }), call(2, 'plan_check', { path: 'plan.txt' })),
      lines(mcpHello, call(1, 'run_wait', { run: 'latest' }), {
        method: 'notifications/cancelled',
        params: { requestId: 1 },
      }),
      lines(
        { id: 'a', method: 'resources/read', params: { uri: 'charrette://runs/run-1/plan.txt' } },
        { id: 'a', method: 'resources/list' },
        { id: 7, result: {} },
        { id: 8, error: { code: 1, message: 'x' } },
      ),
      'no message\n{"jsonrpc":"2.0","id":1,\n[]\nnull\n',
    ],
    async run(text) {
      const client = connect((streams) => serveClient(openProject(project, context), streams));
      client.input.write(text);
      holds((await client.ask(asked, 'ping', {})) !== undefined, 'a server keeps answering');
      await client.end();
    },
  },
  {
    name: 'acp-agent-stream',
    reads: 'everything an editor may write to `charrette acp`',
    seeds: [
      lines(
        { id: 1, method: 'initialize', params: hello },
        { id: 2, method: 'session/set_mode', params: { sessionId: 'SESSION', modeId: 'quick' } },
        {
          id: 3,
          method: 'session/prompt',
          params: { sessionId: 'SESSION', prompt: [{ type: 'text', text: 'x' }] },
        },
        { method: 'session/cancel', params: { sessionId: 'SESSION' } },
      ),
      lines(
        { id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } },
        { id: 1, method: 'session/load' },
      ),
      lines(
        { id: 9, result: { outcome: { outcome: 'cancelled' } } },
        { id: null, error: { code: 1, message: 'x' } },
      ),
      'no message\n{"jsonrpc":"2.0","id":1,\n[]\nnull\n',
    ],
    async run(text) {
      const editor = connect((streams) => serveEditor(context, '1', streams));
      await editor.ask('hello', 'initialize', hello);
      const created = await editor.ask('new', 'session/new', { cwd: project, mcpServers: [] });
      const result = created?.['result'];
      const session = isRecord(result) ? String(result['sessionId']) : '';
      holds(session !== '', 'a session begins');
      editor.input.write(text.replaceAll('SESSION', session));
      holds((await editor.ask(asked, 'initialize', hello)) !== undefined, 'an agent keeps answering');
      await editor.end();
    },
  },
  {
    name: 'acp-client-stream',
    reads: 'everything an agent may write over the Agent Client Protocol, from its first line',
    seeds: [
      `${opened}${lines(
        update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hi' } }),
        {
          id: 5,
          method: 'session/request_permission',
          params: {
            sessionId: 's',
            toolCall: { toolCallId: 't', kind: 'edit' },
            options: [{ optionId: 'o', name: 'n', kind: 'allow_once' }],
          },
        },
        { id: 6, method: 'fs/read_text_file', params: { sessionId: 's', path: '/etc/passwd' } },
        answer({ stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 2 } }),
      )}`,
      lines({ id: 'ID', error: { code: -32000, message: 'Authentication required' } }),
      `${opened}${lines({ id: 'ID', error: { code: -32603, message: 'rate limit' } })}`,
      'a banner\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":0}\n',
    ],
    async run(text) {
      const { reading, exit } = await talkTo(text.split('\n'));
      holds(exit.code === 0, 'the process has left');
      holds(!(reading.succeeded && text.trim() === ''), 'no one succeeds without output');
    },
  },
];

/** An agent that says the next of its lines up to an answer whenever something is written to it, or nothing is; and then leaves. */
function talkTo(waiting: readonly string[]) {
  let next = 0;
  let id = 'null';
  let hear: (line: string) => unknown = () => undefined;
  let leave: (exit: ProcessExit) => void = () => undefined;
  const exited = new Promise<ProcessExit>((resolve) => {
    leave = resolve;
  });
  const speak = () => {
    for (let answered = false; !answered && next < waiting.length; next += 1) {
      const said = waiting[next] ?? '';
      answered = said.includes('"ID"');
      hear(said.replaceAll('"ID"', id));
    }
    if (next >= waiting.length) go();
  };
  // Who waits for the answer to an answer would wait for ever.
  const impatience = setInterval(speak, 10);
  const go = () => {
    clearInterval(impatience);
    leave(gone);
  };
  const gone = {
    code: 0,
    stderr: '',
    stdout: '',
    outputBytes: 0,
    durationMs: 1,
    survivors: 0,
  };
  const limits = { wallMs: 1000, idleMs: 1000 };
  const running = {
    pid: undefined,
    write: (text: string) => {
      const reading = readJson(text);
      if (reading.ok && isRecord(reading.value)) id = JSON.stringify(reading.value['id'] ?? null);
      setImmediate(speak);
    },
    closeInput: go,
    end: go,
    exited,
  };
  return exchange({
    task: {
      task: 'sketch',
      run: 'r',
      seat: 's',
      attempt: 1,
      prompt: 'p',
      directory: project,
      access: 'read',
      limits,
      laneDirectory: place,
    },
    directory: project,
    prompt: 'p',
    jailed: false,
    context: { signal: new AbortController().signal, onEvent: () => undefined },
    start: ({ onLine }) => {
      hear = (text) => onLine?.(text);
      return running;
    },
  });
}
