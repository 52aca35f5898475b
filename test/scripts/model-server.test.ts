import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, isStepCount, jsonSchema, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/safe-json.ts';
import { defaultUsage, type ModelServer, startModelServer } from '../model-server/server.ts';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer({
    rules: [
      { when: /task: vote/, reply: { json: { vote: 'YES' } } },
      { when: /task: look/, reply: { steps: [{ verb: 'read', argument: 'a.txt' }], say: 'looked' } },
      { when: /task: echo/, reply: (prompt) => ({ say: prompt.toUpperCase() }) },
    ],
  });
});
afterAll(() => server.close());

const apiKey = 'key-of-the-test';
const wires = {
  anthropic: (base: string) => createAnthropic({ baseURL: `${base}/v1`, apiKey })('m'),
  responses: (base: string) => createOpenAI({ baseURL: `${base}/v1`, apiKey })('m'),
  chat: (base: string) => createOpenAI({ baseURL: `${base}/v1`, apiKey }).chat('m'),
  gemini: (base: string) => createGoogle({ baseURL: `${base}/v1beta`, apiKey })('m'),
} as const;

const read = tool({
  description: 'reads a file',
  inputSchema: jsonSchema<{ path: string }>({
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
  }),
  execute: async ({ path: file }) => `content of ${file}`,
});

/** Asks by whole answers or by stream; both must end the same way. */
async function ask(model: ReturnType<(typeof wires)['chat']>, prompt: string, streaming: boolean) {
  const options = { model, prompt, tools: { read }, stopWhen: isStepCount(5), maxRetries: 0 };
  if (!streaming) {
    const { text, totalUsage } = await generateText(options);
    return { text, usage: totalUsage };
  }
  const result = streamText({ ...options, onError: () => undefined });
  let failure: unknown;
  for await (const part of result.fullStream) if (part.type === 'error') failure = part.error;
  if (failure !== undefined) throw failure;
  return { text: await result.text, usage: await result.totalUsage };
}

const table = Object.entries(wires).flatMap(([name, model]) =>
  [false, true].map((streaming) => ({ name, streaming, model })),
);

describe.each(table)('$name, streaming $streaming', ({ name, streaming, model }) => {
  const base = (place: string) => `${server.url}${place}`;
  const run = `${name}-${streaming}`;

  test('follows the steps in the prompt and reports usage', async () => {
    const { text, usage } = await ask(model(base(`/run/${run}`)), 'Please ⟦read notes.txt⟧', streaming);
    expect(text).toContain('SCRIPT-ANSWER prompts=1 tools=1 last=content of notes.txt');
    expect(usage.inputTokens).toBe(2 * defaultUsage.inputTokens);
    expect(usage.outputTokens).toBe(2 * defaultUsage.outputTokens);
    expect(usage.inputTokenDetails.cacheReadTokens).toBe(2 * defaultUsage.cachedInputTokens);
    const calls = server.callsOf(run);
    expect(calls.map((call) => call.wire)).toEqual([name, name]);
    expect(calls[0]).toMatchObject({ model: 'm', credential: apiKey, tools: ['read'] });
  });

  test('sends the scripted answer', async () => {
    const { text } = await ask(model(base('')), '⟦say two\nlines⟧', streaming);
    expect(text).toBe('two\nlines');
  });

  test('answers by rule, with tools and without', async () => {
    expect((await ask(model(base('')), 'task: vote now', streaming)).text).toBe('{"vote":"YES"}');
    expect((await ask(model(base('')), 'task: echo', streaming)).text).toBe('TASK: ECHO');
    const looked = await ask(model(base(`/run/look-${run}`)), 'task: look', streaming);
    expect(looked.text).toContain('looked');
    expect(server.callsOf(`look-${run}`)).toHaveLength(2);
  });

  test.each([401, 403, 404, 429, 500, 503, 529])("status %i comes in the vendor's words", async (status) => {
    const failure = await ask(model(base(`/fault/${status}/${run}`)), 'x', streaming).catch(
      (e: unknown) => e,
    );
    expect(APICallError.isInstance(failure)).toBe(true);
    if (!APICallError.isInstance(failure)) return;
    expect(failure.statusCode).toBe(status);
    expect(failure.message).toContain('scripted: ');
    expect(failure.responseHeaders?.['retry-after']).toBe([429, 503, 529].includes(status) ? '1' : undefined);
  });

  test('a context that is too long is a 400 that says so', async () => {
    const failure = await ask(model(base(`/fault/toolong/${run}`)), 'x', streaming).catch((e: unknown) => e);
    expect(failure).toMatchObject({ statusCode: 400 });
    expect(String(failure)).toMatch(/too long|context|exceeds/i);
  });

  test.each(['hang', 'hangmid'])('%s sends nothing until the caller aborts', async (fault) => {
    const options = { model: model(base(`/fault/${fault}/${run}`)), prompt: '⟦say x⟧', maxRetries: 0 };
    const signal = AbortSignal.timeout(300);
    const outcome = streaming
      ? streamText({ ...options, abortSignal: signal, onError: () => undefined }).finishReason
      : generateText({ ...options, abortSignal: signal });
    await expect(outcome).rejects.toThrow();
    expect(signal.aborted).toBe(true);
  });

  test.each(['reset', 'html', 'malformed'])('%s does not count as an answer', async (fault) => {
    const asked = ask(model(base(`/fault/${fault}/${run}`)), '⟦say fine⟧', streaming);
    const outcome = await asked.catch((error: unknown) => ({ text: undefined, error }));
    expect(outcome.text).not.toBe('fine');
  });

  test('an empty answer has no text', async () => {
    const outcome = await ask(model(base(`/fault/empty/${run}`)), '⟦say fine⟧', streaming).catch(() => ({
      text: '',
    }));
    expect(outcome.text).toBe('');
  });

  test('x2 fails twice and @2 skips the first', async () => {
    const twice = model(base(`/fault/500x2/${run}`));
    const outcomes = [];
    for (let turn = 0; turn < 3; turn++) {
      outcomes.push(
        await ask(twice, '⟦say fine⟧', streaming).then(
          ({ text }) => text,
          () => 'failed',
        ),
      );
    }
    expect(outcomes).toEqual(['failed', 'failed', 'fine']);
    const second = model(base(`/fault/401@2/${run}`));
    expect((await ask(second, '⟦say fine⟧', streaming)).text).toBe('fine');
    await expect(ask(second, '⟦say fine⟧', streaming)).rejects.toThrow();
  });
});

test('answers an unscripted prompt with the default', async () => {
  expect((await ask(wires.chat(server.url), 'Make a title.', false)).text).toBe('SIDE-ANSWER');
});

test('after a resume the model knows both prompts', async () => {
  const { text } = await generateText({
    model: wires.anthropic(server.url),
    messages: [
      { role: 'user', content: '⟦say one⟧' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: '⟦delay 1⟧' },
    ],
    maxRetries: 0,
  });
  expect(text).toContain('prompts=2 tools=0');
});

test('survives an agent that is killed during its request', async () => {
  const asking = connect(server.port, '127.0.0.1');
  await once(asking, 'connect');
  const before = server.requests.length;
  asking.write('POST /v1/messages HTTP/1.1\r\nHost: model\r\nContent-Length: 1000\r\n\r\n{"half":');
  // Sooner, and the server would not have seen the request.
  expect((await ask(wires.chat(server.url), '⟦say on⟧', false)).text).toContain('on');
  asking.resetAndDestroy();
  await once(asking, 'close');
  expect((await ask(wires.chat(server.url), '⟦say on⟧', false)).text).toContain('on');
  expect(server.requests.slice(before).map((each) => each.path)).toEqual(
    Array(2).fill('/v1/chat/completions'),
  );
});

test('as a program it takes rules from a file, writes a log and ends on SIGTERM', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'model-server-'));
  const [rules, log] = [path.join(folder, 'rules.json'), path.join(folder, 'log.jsonl')];
  await writeFile(rules, JSON.stringify([{ when: 'colou?r', json: { colour: 'blue' } }]));
  const main = path.resolve(import.meta.dirname, '../model-server/main.ts');
  const child = spawn(process.execPath, [main, '--rules', rules, '--log', log], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = parseJson(line.toString(), 'its first line') as { url: string };
    expect((await ask(wires.gemini(url), 'which color?', false)).text).toBe('{"colour":"blue"}');
    expect(await readFile(log, 'utf8')).toContain('"wire":"gemini"');
  } finally {
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await rm(folder, { recursive: true });
  }
});
