import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultUsage, type ModelServer, startModelServer } from '../../../test/model-server/server.ts';
import type { AgentEvent, AgentTask, LaneKind } from '../port.ts';
import { modelAgent } from './model-agent.ts';
import { type Provider, providers } from './provider.ts';

let base: string;
let project: string;
let server: ModelServer;
let refused: string;

beforeAll(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'model-agent-'));
  project = path.join(base, 'project');
  await mkdir(project);
  await writeFile(path.join(project, 'README.md'), 'The word is PLUGH.\n');
  await writeFile(path.join(base, 'secret.txt'), 'XYZZY\n');
  server = await startModelServer({ bodies: true });
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const address = closed.address();
  refused = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 1}`;
  await new Promise((resolve) => closed.close(resolve));
});
afterAll(async () => {
  await server.close();
  await rm(base, { recursive: true });
});

const keys = { ANTHROPIC_API_KEY: 'key-a', OPENAI_API_KEY: 'key-o', GEMINI_API_KEY: 'key-g' };
const pathOf: Record<Provider, string> = {
  anthropic: '/v1',
  openai: '/v1',
  google: '/v1beta',
  compatible: '/v1',
};

const agentOf = (provider: Provider, place = '', address = server.url) =>
  modelAgent(
    { id: 'm', model: `${provider}:some-model`, baseUrl: `${address}${place}${pathOf[provider]}` },
    keys,
  );

let lanes = 0;
async function taskOf(prompt: string, more: Partial<AgentTask> = {}): Promise<AgentTask> {
  lanes += 1;
  const laneDirectory = path.join(base, `lane-${lanes}`);
  await mkdir(laneDirectory);
  return {
    task: 'sketch',
    run: 'r',
    seat: 's',
    attempt: 1,
    prompt,
    directory: project,
    access: 'read',
    limits: { wallMs: 60_000, idleMs: 60_000 },
    laneDirectory,
    ...more,
  };
}

const quiet = () => ({ signal: new AbortController().signal, onEvent: () => undefined });

describe.each(providers.map((provider) => ({ provider })))('$provider', ({ provider }) => {
  test('reads a file, answers, measures, and continues the session', async () => {
    const run = `tools-${provider}`;
    const agent = agentOf(provider, `/run/${run}`);
    const events: AgentEvent[] = [];
    const context = {
      signal: new AbortController().signal,
      onEvent: (event: AgentEvent) => events.push(event),
    };
    const first = await agent.call(await taskOf('Look. ⟦read README.md⟧'), context);
    expect(first).toMatchObject({ kind: 'ok', toolCalls: 1, model: 'some-model' });
    expect(first.text).toContain('SCRIPT-ANSWER prompts=1 tools=1');
    expect(first.text).toContain('The word is PLUGH.');
    expect(first.text).not.toContain('I will read.');
    expect(first.usage).toEqual({
      basis: 'measured',
      inputTokens: 2 * defaultUsage.inputTokens,
      cachedInputTokens: 2 * defaultUsage.cachedInputTokens,
      outputTokens: 2 * defaultUsage.outputTokens,
    });
    expect(events.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
      { type: 'tool-start', tool: 'read' },
      { type: 'tool-end', failed: false },
    ]);
    expect(server.callsOf(run)[0]?.tools).toEqual(['read', 'grep', 'glob']);

    const resume = { session: first.session ?? '', fork: false };
    const second = await agent.call(
      await taskOf('More. ⟦call grep {"pattern":"PLUGH"}⟧', { resume }),
      quiet(),
    );
    expect(second.text).toContain('prompts=2 tools=1 last=README.md:1');
    expect(second.usage.inputTokens).toBe(2 * defaultUsage.inputTokens);
  });

  test('refuses to leave the directory and tells the model so', async () => {
    const outside = path.join(base, 'secret.txt');
    const result = await agentOf(provider).call(
      await taskOf(`⟦read ${outside}⟧⟦read ../secret.txt⟧`),
      quiet(),
    );
    expect(result.kind).toBe('ok');
    expect(result.text).toContain('leads out');
    expect(result.text).not.toContain('XYZZY');
  });

  test('is shown no key of the project’s .env, so that neither its server nor the record gets it', async () => {
    const directory = await mkdtemp(path.join(base, 'keys-'));
    await writeFile(path.join(directory, '.env'), 'SHOP_API_KEY=canary-of-a-file-77e1\nPORT=8080\n');
    for (const look of ['⟦read .env⟧', '⟦call grep {"pattern":"SHOP"}⟧']) {
      const result = await agentOf(provider).call(await taskOf(look, { directory }), quiet());
      expect(result.text).toContain('SHOP_API_KEY=[secret]');
      expect(JSON.stringify(result)).not.toContain('canary');
    }
  });

  test('gives JSON when a schema is asked for, and says when there is none', async () => {
    const schema = { type: 'object', properties: { vote: { type: 'string' } } };
    const good = await agentOf(provider).call(await taskOf('⟦json {"vote":"YES"}⟧', { schema }), quiet());
    expect(good).toMatchObject({ kind: 'ok', value: { vote: 'YES' } });
    const bad = await agentOf(provider).call(await taskOf('⟦say no json here⟧', { schema }), quiet());
    expect(bad).toMatchObject({ kind: 'bad_output' });
  });

  const faults: [string, LaneKind][] = [
    ['401', 'auth'],
    ['403', 'auth'],
    ['404', 'unhealthy'],
    ['429', 'rate_limit'],
    ['500', 'server'],
    ['503', 'server'],
    ['529', 'server'],
    ['toolong', 'context_too_long'],
    ['hang', 'timeout'],
    ['hangmid', 'timeout'],
    ['malformed', 'stream'],
    ['truncated', 'stream'],
    ['reset', 'stream'],
    ['html', 'stream'],
    ['empty', 'bad_output'],
  ];
  test.concurrent.each(faults)('%s is %s, after one request', async (fault, kind) => {
    const run = `${fault}-${provider}`;
    // Only silence is to end by silence: the others answer, however busy the machine is, and the request has to get there.
    const limits = { wallMs: 60_000, idleMs: kind === 'timeout' ? 3000 : 60_000 };
    const task = await taskOf('⟦read README.md⟧⟦say never⟧', { limits });
    const result = await agentOf(provider, `/fault/${fault}/${run}`).call(task, quiet());
    expect(result).toMatchObject({ kind, message: expect.stringMatching(/\w/) });
    expect(server.callsOf(run)).toHaveLength(1);
    expect(result.retryAfterMs).toBe(['429', '503', '529'].includes(fault) ? 1000 : undefined);
  });

  test('a failure in the second turn still reports the first', async () => {
    const agent = agentOf(provider, `/fault/500@2/second-${provider}`);
    const result = await agent.call(await taskOf('⟦read README.md⟧'), quiet());
    expect(result).toMatchObject({ kind: 'server', toolCalls: 1 });
    expect(result.usage.inputTokens).toBe(defaultUsage.inputTokens);
  });

  test('a server that is down is a network failure', async () => {
    const result = await agentOf(provider, '', refused).call(await taskOf('x'), quiet());
    expect(result).toMatchObject({ kind: 'network', message: expect.stringContaining('ECONNREFUSED') });
  });

  test('the probe tells healthy from not', async () => {
    const { laneDirectory, directory } = await taskOf('');
    expect(await agentOf(provider).probe({ ...quiet(), laneDirectory, directory })).toMatchObject({
      healthy: true,
    });
    const broken = agentOf(provider, `/fault/401/probe-${provider}`);
    expect(await broken.probe({ ...quiet(), laneDirectory, directory })).toMatchObject({ healthy: false });
  });
});

test('asks Anthropic to cache what is sent again with every turn, and for room to answer', async () => {
  const agent = agentOf('anthropic', '/run/cached');
  await agent.call(await taskOf('⟦read README.md⟧'), quiet());
  const bodies = server.callsOf('cached').map(({ body }) => body);
  // A model that the SDK does not know would get 4096 tokens for its whole answer.
  expect(bodies).toMatchObject([
    { cache_control: { type: 'ephemeral' }, max_tokens: 32_000 },
    { cache_control: { type: 'ephemeral' }, max_tokens: 32_000 },
  ]);
});

test('stops after the allowed turns', async () => {
  const limits = { wallMs: 60_000, idleMs: 60_000, turns: 2 };
  const prompt = '⟦read README.md⟧⟦read README.md⟧⟦read README.md⟧';
  const result = await agentOf('compatible').call(await taskOf(prompt, { limits }), quiet());
  expect(result).toMatchObject({ kind: 'limit', toolCalls: 2 });
});

test('stops at the wall clock even when the model keeps talking', async () => {
  const prompt = `⟦delay 150⟧${'⟦read README.md⟧'.repeat(20)}`;
  const limits = { wallMs: 500, idleMs: 60_000 };
  const result = await agentOf('compatible').call(await taskOf(prompt, { limits }), quiet());
  expect(result).toMatchObject({ kind: 'timeout', message: expect.stringContaining('500 ms') });
});

test('is cancelled from outside', async () => {
  const controller = new AbortController();
  const running = agentOf('openai', '/fault/hang/cancel').call(await taskOf('x'), {
    signal: controller.signal,
    onEvent: () => undefined,
  });
  setTimeout(() => controller.abort(), 50);
  expect(await running).toMatchObject({ kind: 'cancelled' });
});

test('will not write', async () => {
  const result = await agentOf('anthropic').call(await taskOf('x', { access: 'write' }), quiet());
  expect(result.kind).toBe('unhealthy');
});

test('reports a missing session instead of guessing', async () => {
  const resume = { session: '/etc/passwd', fork: false };
  const result = await agentOf('anthropic').call(await taskOf('x', { resume }), quiet());
  expect(result).toMatchObject({ kind: 'bad_output', message: expect.stringContaining('gone') });
});

test('a missing key is an auth failure without any request', async () => {
  const agent = modelAgent({ id: 'm', model: 'anthropic:x', baseUrl: `${server.url}/run/nokey/v1` }, {});
  expect(await agent.call(await taskOf('x'), quiet())).toMatchObject({ kind: 'auth' });
  expect(server.callsOf('nokey')).toEqual([]);
});

test("a vendor's key is never sent to another server", async () => {
  const agent = modelAgent({ id: 'm', model: 'qwen3:8b', baseUrl: `${server.url}/run/local/v1` }, keys);
  expect(agent).toMatchObject({ family: 'other', title: 'OpenAI-compatible qwen3:8b' });
  expect(await agent.call(await taskOf('⟦say hello⟧'), quiet())).toMatchObject({ kind: 'ok', text: 'hello' });
  expect(server.callsOf('local').map(({ credential, model }) => [credential, model])).toEqual([
    [undefined, 'qwen3:8b'],
  ]);
});

test.each([
  ['claude-sonnet-4-5', 'anthropic'],
  ['gpt-5.5', 'openai'],
  ['gemini-2.5-pro', 'google'],
])('%s belongs to %s', (model, family) => {
  expect(modelAgent({ id: 'm', model }, keys).family).toBe(family);
});

test('a gateway that repeats the key in its refusal does not bring it into the record', async () => {
  const gateway = createHttpServer(({ headers }, response) => {
    // The key lies across the place where a long message is cut.
    const message = `${'x'.repeat(480)} received ${headers.authorization}`;
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message, type: 'auth' } }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => gateway.once('listening', resolve));
  const address = gateway.address();
  const place = `127.0.0.1:${typeof address === 'object' ? address?.port : 1}/v1`;
  try {
    const key = 'canary-of-a-gateway-0123456789';
    const agent = modelAgent(
      { id: 'm', model: 'x', baseUrl: `http://${place}` },
      { CHARRETTE_MODEL_API_KEY: key },
    );
    const echoed = await agent.call(await taskOf('p'), quiet());
    expect(echoed.kind).toBe('auth');
    expect(echoed.message).toContain('received Bearer');
    expect(JSON.stringify(echoed)).not.toContain('canary');
    // No address with a password is ever asked; the refusal names the address.
    const withPassword = modelAgent({ id: 'm', model: 'x', baseUrl: `http://me:canary-word@${place}` }, {});
    const refusal = await withPassword.call(await taskOf('p'), quiet());
    expect(refusal.kind).not.toBe('ok');
    expect(JSON.stringify(refusal)).not.toContain('canary');
  } finally {
    gateway.close();
  }
});

test.each([
  ['an answer', 200, 'text/event-stream', `data: ${JSON.stringify(chunkOf('x'.repeat(60_000)))}\n\n`],
  ['a line of an answer', 200, 'text/event-stream', 'x'.repeat(60_000)],
  ['a refusal', 500, 'application/json', 'x'.repeat(60_000)],
])('%s without end is cut at the output limit', async (_, status, type, piece) => {
  const flood = createHttpServer((_request, response) => {
    response.writeHead(status, { 'content-type': type });
    // A hundred times the limit; it must not be read completely.
    pipeline(Readable.from(Array.from({ length: 1800 }, () => piece)), response).catch(() => {});
  }).listen(0, '127.0.0.1');
  await once(flood, 'listening');
  const address = flood.address();
  try {
    const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 1}/v1`;
    const agent = modelAgent({ id: 'm', model: 'x', baseUrl }, {}, 1_000_000);
    const result = await agent.call(
      await taskOf('p', { limits: { wallMs: 60_000, idleMs: 60_000 } }),
      quiet(),
    );
    expect(result).toMatchObject({ kind: 'limit', message: 'The model wrote more than the output limit.' });
    expect(result.text.length).toBeLessThan(1_000_000);
  } finally {
    flood.closeAllConnections();
    flood.close();
  }
});

function chunkOf(content: string) {
  return {
    id: '1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { role: 'assistant', content } }],
  };
}

test('an unknown model is a configuration error that says what to write', () => {
  expect(() => modelAgent({ id: 'm', model: 'qwen3' }, keys)).toThrow(/who serves the model "qwen3"/);
  expect(() => modelAgent({ id: 'm' }, keys)).toThrow(/has no model/);
});
