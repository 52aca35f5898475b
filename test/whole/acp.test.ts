import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type ClientCapabilities,
  type CreateElicitationRequest,
  client,
  ndJsonStream,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { afterEach, expect, test } from 'vitest';
import { until } from '../support/live-program.ts';
import { systemPath } from '../support/optional-programs.ts';
import { holdTask, makeProject, program, runsOf } from '../support/program.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** An editor: the official client side over the stdio of the real program. */
async function openEditor(
  cwd: string,
  clientCapabilities: ClientCapabilities = {},
  decide: (request: RequestPermissionRequest) => Promise<RequestPermissionOutcome> = async ({ options }) => ({
    outcome: 'selected',
    optionId: options[0]?.optionId ?? '',
  }),
) {
  const home = path.join(cwd, '.home');
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, [program, 'acp'], {
    cwd: home,
    env: { PATH: systemPath, HOME: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  const updates: SessionUpdate[] = [];
  const asked: (RequestPermissionRequest | CreateElicitationRequest)[] = [];
  const app = client({ name: 'editor' })
    .onNotification('session/update', ({ params }) => void updates.push(params.update))
    .onRequest('session/request_permission', async ({ params }) => {
      asked.push(params);
      return { outcome: await decide(params) };
    })
    .onRequest('elicitation/create', ({ params }) => {
      asked.push(params);
      return { action: 'accept', content: { answer: 'yes' } };
    });
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const connection = app.connect(stream);
  const { agent } = connection;
  closing.push(async () => {
    child.stdin.end();
    await exited;
  });
  const initialized = await agent.request('initialize', { protocolVersion: 1, clientCapabilities });
  const session = await agent.request('session/new', { cwd, mcpServers: [] });
  const prompt = (text: string) =>
    agent.request('session/prompt', { sessionId: session.sessionId, prompt: [{ type: 'text', text }] });
  const said = () =>
    updates
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? update.content.text
          : '',
      )
      .join('');
  return { agent, initialized, session, prompt, updates, asked, said, child, exited };
}

function statusOf(project: string): string {
  const [run = ''] = runsOf(project);
  const file = path.join(project, '.charrette', 'runs', run, 'run.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { status: string }).status;
}

test('an editor designs: consent by buttons, phases as plan, lanes as tool calls, the plan as answer', async () => {
  const { project } = await makeProject();
  const editor = await openEditor(project);
  expect(editor.initialized).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'charrette' } });
  expect(editor.session.modes?.availableModes.map(({ id }) => id)).toEqual([
    'regular',
    'quick',
    'wide',
    'solo',
  ]);
  const { stopReason } = await editor.prompt('limit requests per client');
  expect(stopReason).toBe('end_turn');
  expect(editor.asked).toMatchObject([
    {
      toolCall: { title: expect.stringContaining('read this repository?') },
      options: [
        { optionId: 'yes', name: 'Yes, in this project from now on (recommended)', kind: 'allow_once' },
        { optionId: 'no', kind: 'reject_once' },
      ],
    },
    {
      toolCall: { title: expect.stringContaining('argue both sides') },
      options: [{ optionId: 'diagonal' }, { optionId: 'bucket' }],
    },
  ]);
  const plans = editor.updates.filter((update) => update.sessionUpdate === 'plan');
  expect(plans.at(-1)?.entries.every(({ status }) => status === 'completed')).toBe(true);
  const calls = editor.updates.filter((update) => update.sessionUpdate === 'tool_call');
  expect(calls.map(({ title }) => title)).toContain('One-Pragmatic: sketch');
  const ends = editor.updates.filter(
    (update) => update.sessionUpdate === 'tool_call_update' && update.status === 'completed',
  );
  expect(ends.length).toBe(calls.length);
  expect(editor.said()).toContain('# Plan: Limit requests per client');
  expect(statusOf(project)).toBe('done');
});

test('an editor with forms is asked with forms; in solo mode one agent works', async () => {
  const { project } = await makeProject();
  const editor = await openEditor(project, { elicitation: { form: {} } });
  await editor.agent.request('session/set_mode', { sessionId: editor.session.sessionId, modeId: 'solo' });
  await editor.prompt('limit requests per client');
  expect(editor.asked[0]).toMatchObject({
    mode: 'form',
    requestedSchema: { properties: { answer: { default: 'yes' } } },
  });
  const sketches = editor.updates.filter(
    (update) => update.sessionUpdate === 'tool_call' && update.title.endsWith(': sketch'),
  );
  expect(sketches.length).toBeLessThan(2);
  expect(editor.said()).toContain('# Plan');
});

test('a cancelled prompt stops and saves the run; /resume continues it', async () => {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan');
  const editor = await openEditor(project);
  const answered = editor.prompt('limit requests per client');
  await until(() =>
    editor.updates.some(
      (update) => update.sessionUpdate === 'tool_call' && update.title.endsWith(': sketch'),
    ),
  );
  await editor.agent.notify('session/cancel', { sessionId: editor.session.sessionId });
  expect((await answered).stopReason).toBe('cancelled');
  release();
  expect(editor.said()).toContain('/resume');
  expect(statusOf(project)).toBe('stopped');
  expect((await editor.prompt('/resume')).stopReason).toBe('end_turn');
  expect(statusOf(project)).toBe('done');
  expect(runsOf(project)).toHaveLength(1);
  expect(editor.said()).toContain('# Plan');
});

test('a prompt that is cancelled while it asks stops gracefully: open questions come back as cancelled', async () => {
  const { project } = await makeProject();
  const cancelling = Promise.withResolvers<void>();
  const editor = await openEditor(project, {}, async () => {
    await cancelling.promise;
    return { outcome: 'cancelled' };
  });
  const answered = editor.prompt('limit requests per client');
  await until(() => editor.asked.length > 0);
  await editor.agent.notify('session/cancel', { sessionId: editor.session.sessionId });
  // While the run is stopping.
  await new Promise((resolve) => setTimeout(resolve, 10));
  cancelling.resolve();
  expect((await answered).stopReason).toBe('cancelled');
  expect(statusOf(project)).toBe('stopped');
  const events = path.join(project, '.charrette', 'runs', runsOf(project)[0] ?? '', 'events.jsonl');
  expect(readFileSync(events, 'utf8')).toContain('"run-pause"');
});

test('tool calls have unique names in a session, in a second run and after /resume', async () => {
  const { project, calls } = await makeProject();
  const editor = await openEditor(project);
  const { sessionId } = editor.session;
  await editor.agent.request('session/set_mode', { sessionId, modeId: 'solo' });
  await editor.prompt('limit requests per client');
  const begun = () =>
    editor.updates.flatMap((update) => (update.sessionUpdate === 'tool_call' ? [update.toolCallId] : []));
  const first = begun().length;
  expect(first).toBeGreaterThan(0);
  const release = holdTask(calls, 'plan');
  const cancelled = editor.prompt('limit requests per day');
  await until(() => begun().length > first);
  await editor.agent.notify('session/cancel', { sessionId });
  await cancelled;
  release();
  await editor.prompt('/resume');
  expect(runsOf(project)).toHaveLength(2);
  expect(new Set(begun()).size).toBe(begun().length);
  const updated = editor.updates.flatMap((update) =>
    update.sessionUpdate === 'tool_call_update' ? [update.toolCallId] : [],
  );
  expect(updated.filter((id) => !begun().includes(id))).toEqual([]);
});

test('accepts a prompt with a file too large for a command line', async () => {
  const { project } = await makeProject();
  const editor = await openEditor(project);
  const { sessionId } = editor.session;
  await editor.agent.request('session/set_mode', { sessionId, modeId: 'solo' });
  const notes = 'Ten requests per second and client. '.repeat(10_000);
  const { stopReason } = await editor.agent.request('session/prompt', {
    sessionId,
    prompt: [
      { type: 'text', text: '--help limit requests as in' },
      { type: 'resource', resource: { uri: 'file:///shop/notes.md', text: notes } },
    ],
  });
  expect(stopReason).toBe('end_turn');
  expect(editor.said()).toContain('# Plan');
  const [run = ''] = runsOf(project);
  const record = readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8');
  expect((JSON.parse(record) as { inputs: { feature: string } }).inputs.feature).toBe(
    `--help limit requests as in\n\n/shop/notes.md:\n${notes.trim()}`,
  );
});

test('refuses empty and oversized text, and a run named like a flag, with a message', async () => {
  const { project } = await makeProject();
  const editor = await openEditor(project);
  await expect(editor.prompt('limits\0')).rejects.toMatchObject({
    code: -32602,
    data: { message: expect.stringContaining('NUL') },
  });
  await expect(editor.prompt('x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({ code: -32602 });
  await editor.prompt('/resume --help');
  expect(editor.said()).toContain('No run matches "--help"');
  expect(runsOf(project)).toEqual([]);
});

test('refuses bad requests by name, and stops the run when the editor closes', async () => {
  const { project, calls } = await makeProject();
  holdTask(calls, 'plan');
  const editor = await openEditor(project);
  const { sessionId } = editor.session;
  await expect(editor.agent.request('session/new', { cwd: 'shop', mcpServers: [] })).rejects.toThrow();
  await expect(editor.agent.request('session/set_mode', { sessionId, modeId: 'deep' })).rejects.toThrow();
  await expect(editor.prompt('  ')).rejects.toThrow();
  await expect(
    editor.agent.request('session/prompt', { sessionId: 'unknown', prompt: [{ type: 'text', text: 'x' }] }),
  ).rejects.toThrow();
  void editor.prompt('limit requests per client').catch(() => {});
  await until(() => editor.updates.some((update) => update.sessionUpdate === 'tool_call'));
  editor.child.stdin.end();
  expect(await editor.exited).toBe(0);
  expect(statusOf(project)).toBe('stopped');
});
