import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { conversation, hookInput, hostProject, say } from '../../../test/support/host-project.ts';
import type { HookDecision, HookEvent } from './events.ts';
import { type HookInput, readHookInput } from './events.ts';
import { partLimit } from './open-runs.ts';
import { runHook } from './run-hook.ts';
import { readSession, sessionFolder } from './snapshot.ts';
import { readTranscript } from './transcript.ts';

let place: ReturnType<typeof hostProject>;
beforeEach(() => {
  place = hostProject();
});
afterEach(() => rmSync(place.project, { recursive: true, force: true }));

const call = (
  event: HookEvent,
  more: Partial<HookInput> = {},
  options: { part?: number; limit?: number; settleMs?: number } = {},
) =>
  runHook(event, hookInput(place.project, more), {
    host: 'claude',
    now: '2026-01-01T00:00:00.000Z',
    part: 1,
    limit: undefined,
    ...options,
  });
const textOf = (decision: HookDecision) => (decision.kind === 'context' ? decision.text : '');

/** Phase 1 is done, phase 2 runs and is at its fourth step. */
const inPhaseTwo = () => [
  say.tool('Read', { file_path: place.phase(1) }),
  say.tool('AskUserQuestion', { questions: [] }, 'q1'),
  say.result('q1', 'User has answered: "Executor"="Agent"'),
  say.todos(
    ['Phase 1: Lite Plan', 'completed'],
    ['Phase 2: Lite Execute', 'in_progress'],
    ['  → TASK-001', 'in_progress'],
  ),
  say.tool('Read', { file_path: place.phase(2) }),
  say.words('Now Step 2.4: the tasks.'),
];

test('P-164 T-10 after a compaction the card has the active phase document in full, the step, and what was decided', async () => {
  const transcript = conversation(place.project, inPhaseTwo());
  expect(await call('pre-compact', { transcript })).toEqual({ kind: 'nothing' });
  const text = textOf(await call('session-start', { source: 'compact' }));
  expect(text).toContain('# Where you are');
  expect(text).toContain('- Phase 1: Lite Plan (completed)');
  expect(text).toContain('- Phase 2: Lite Execute (in_progress)');
  expect(text).toContain('Continue at Step 2.4.');
  expect(text).toContain('"Executor"="Agent"');
  expect(text).toContain(readFileSync(place.phase(2), 'utf8').trimEnd());
  expect(text).not.toContain('changed since');
});

test('P-167 a phase document that changed between snapshot and card is reported and shown in its current form', async () => {
  await call('pre-compact', { transcript: conversation(place.project, inPhaseTwo()) });
  writeFileSync(place.phase(2), `${readFileSync(place.phase(2), 'utf8')}\nA new line.\n`);
  const text = textOf(await call('session-start', { source: 'compact' }));
  expect(text).toContain('changed since');
  expect(text).toContain('A new line.');
  rmSync(place.phase(2));
  expect(textOf(await call('session-start', { source: 'compact' }))).toContain('is gone; ask the user');
});

test('the todo list decides which phase is active, also when another document was read last', async () => {
  const lines = [
    ...inPhaseTwo(),
    say.todos(['Phase 1: Lite Plan', 'in_progress'], ['Phase 2: Lite Execute', 'pending']),
  ];
  await call('pre-compact', { transcript: conversation(place.project, lines) });
  expect(textOf(await call('session-start', { source: 'compact' }))).toContain('# Phase 1: Lite Plan');
});

test('tasks created and updated one by one, plans of Codex and files printed by a shell are understood too', async () => {
  const tasks = [
    say.tool('TaskCreate', { subject: 'Phase 1: Lite Plan' }),
    say.tool('TaskCreate', { subject: 'Phase 2: Lite Execute' }),
    say.tool('TaskUpdate', { taskId: '1', status: 'completed' }),
    say.tool('TaskUpdate', { taskId: '2', status: 'in_progress' }),
    say.tool('Bash', { command: `cat ${place.phase(1)}` }),
  ];
  await call('pre-compact', { transcript: conversation(place.project, tasks) });
  expect(textOf(await call('session-start', { source: 'compact' }))).toContain('# Phase 2: Lite Execute');
  const codex = [
    {
      type: 'response_item',
      payload: {
        type: 'function_call',
        name: 'shell',
        arguments: JSON.stringify({ command: ['bash', '-lc', `sed -n 1,200p '${place.phase(1)}'`] }),
      },
    },
    {
      type: 'response_item',
      payload: {
        type: 'function_call',
        name: 'update_plan',
        arguments: JSON.stringify({ plan: [{ step: 'Phase 1: Lite Plan', status: 'in_progress' }] }),
      },
    },
  ];
  await call('pre-compact', { session: 'other', transcript: conversation(place.project, codex) });
  expect(textOf(await call('session-start', { session: 'other', source: 'compact' }))).toContain(
    '# Phase 1: Lite Plan',
  );
});

test('a document that is too long for one hook comes in parts that fit; what still does not fit is named', async () => {
  const long = Array.from({ length: 2000 }, (_, index) => `Line ${index} of a very long step.`).join('\n');
  writeFileSync(place.phase(2), `${readFileSync(place.phase(2), 'utf8')}\n${long}\n`);
  await call('pre-compact', { transcript: conversation(place.project, inPhaseTwo()) });
  const texts = [];
  for (const part of [1, 2, 3, 4])
    texts.push(textOf(await call('session-start', { source: 'compact' }, { part })));
  expect(texts.map((text) => text.length > 0 && text.length <= partLimit + 400)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(texts[2]).toContain(`Read ${place.phase(2)} now`);
  expect(texts[3]).toBe('');
});

test('a session without a workflow is not touched: nothing is written or printed', async () => {
  const transcript = conversation(place.project, [
    say.tool('Read', { file_path: path.join(place.project, 'notes', 'phases', 'x.md') }),
    say.words('Done.'),
  ]);
  for (const event of ['pre-compact', 'stop', 'before-agent', 'pre-tool-use'] as const)
    expect(await call(event, { transcript })).toEqual({ kind: 'nothing' });
  for (const source of ['startup', 'compact'])
    expect(await call('session-start', { source })).toEqual({ kind: 'nothing' });
  expect(existsSync(path.join(place.project, '.charrette'))).toBe(false);
});

test('open runs of the program are named at the start of a session, with the command that continues them', async () => {
  const run = path.join(place.project, '.charrette', 'runs', '20260101-120000-00000001');
  mkdirSync(path.join(run, 'artifacts'), { recursive: true });
  const record = {
    schemaVersion: 1,
    run: 'x',
    workflow: 'design',
    codeVersion: '1',
    title: 'add limits',
    inputs: {},
    status: 'paused',
    created: '2026-01-01T00:00:00.000Z',
  };
  writeFileSync(path.join(run, 'run.json'), JSON.stringify(record));
  writeFileSync(
    path.join(run, 'questions.json'),
    JSON.stringify({
      schemaVersion: 1,
      run: 'x',
      questions: [{ id: 'scope', text: 'Which scope?' }],
      answers: [],
    }),
  );
  const { readdirSync } = await import('node:fs');
  expect(readdirSync(path.dirname(run))).toHaveLength(1);
  const text = textOf(await call('session-start', { source: 'startup' }));
  expect(text).toMatch(
    /design "add limits": run \S+ is paused; it waits for an answer \(`charrette answer \S+`\): Which scope\?/,
  );
});

test('Gemini has no start after a compaction: the next turn gets the card, once', async () => {
  await call('pre-compact', { transcript: conversation(place.project, inPhaseTwo()) });
  expect(textOf(await call('before-agent'))).toContain('# Phase 2: Lite Execute');
  expect(await call('before-agent')).toEqual({ kind: 'nothing' });
});

test('a turn does not end in the middle of a phase, but only once, and not when the user is asked', async () => {
  const transcript = conversation(place.project, inPhaseTwo());
  expect(await call('stop', { transcript })).toEqual({
    kind: 'go-on',
    reason: expect.stringMatching(
      /^lite-plan is not over: "Phase 2: Lite Execute" is in progress\. Continue with Step 2\.4 of /,
    ),
  });
  expect(await call('stop', { transcript, goingOn: true })).toEqual({ kind: 'nothing' });
  const asking = conversation(place.project, [...inPhaseTwo(), say.words('Which executor shall I take?')]);
  expect(await call('stop', { transcript: asking })).toEqual({ kind: 'nothing' });
  const over = conversation(place.project, [
    ...inPhaseTwo(),
    say.todos(['Phase 1: Lite Plan', 'completed'], ['Phase 2: Lite Execute', 'completed']),
  ]);
  expect(await call('stop', { transcript: over })).toEqual({ kind: 'nothing' });
});

test('a turn does not end in a phase whose host is slow to write that it has begun', async () => {
  const lines = inPhaseTwo();
  const waiting = say.todos(['Phase 1: Lite Plan', 'completed'], ['Phase 2: Lite Execute', 'pending']);
  const transcript = conversation(place.project, [...lines, waiting]);
  const stopping = call('stop', { transcript });
  conversation(place.project, lines);
  expect(await stopping).toMatchObject({ kind: 'go-on' });
});

test('above its budget a session starts no agents, but may read and edit; each answer is paid once', async () => {
  const lines = [say.usage('a', 400), say.usage('a', 400), say.usage('b', 500)];
  const transcript = conversation(place.project, lines);
  const use = (tool: string, command = '', limit = 902) =>
    call('pre-tool-use', { transcript, tool, command }, { limit });
  expect(await use('Task', '', 903)).toEqual({ kind: 'nothing' });
  expect(await use('Task')).toMatchObject({
    kind: 'deny',
    reason: expect.stringContaining('902 of 902 tokens'),
  });
  expect(await use('Bash', 'cd x && charrette design "more"')).toMatchObject({ kind: 'deny' });
  expect(await use('Bash', 'npm test')).toEqual({ kind: 'nothing' });
  expect(await use('Edit')).toEqual({ kind: 'nothing' });
  const { usage } = await readSession(place.project, 'session-1');
  conversation(place.project, [...lines, say.usage('c', 98)]);
  expect(await use('Agent')).toMatchObject({ reason: expect.stringContaining('1,001 of 902') });
  expect((await readSession(place.project, 'session-1')).usage?.offset).toBeGreaterThan(usage?.offset ?? 0);
});

test('a used-up budget starts no agent, although the host is slow to write what the answer cost', async () => {
  const transcript = conversation(place.project, []);
  const asking = call('pre-tool-use', { transcript, tool: 'Task' }, { limit: 1 });
  await sleep(60);
  conversation(place.project, [say.usage('a', 400)]);
  expect(await asking).toMatchObject({ kind: 'deny', reason: expect.stringContaining('401 of 1 tokens') });
});

test('conversations of Codex and Gemini CLI are counted in their own terms', async () => {
  const use = (lines: unknown[], session: string) =>
    call(
      'pre-tool-use',
      { session, tool: 'Task', transcript: conversation(place.project, lines, `${session}.jsonl`) },
      { limit: 100 },
    );
  const codex = (input: number) => ({
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: { total_token_usage: { input_tokens: input, cached_input_tokens: 400, output_tokens: 34 } },
    },
  });
  expect(await use([codex(500), codex(900)], 'codex')).toMatchObject({
    reason: expect.stringContaining('used 534 of'),
  });
  const gemini = { id: 'm1', type: 'gemini', content: 'x', tokens: { input: 1200, output: 34, cached: 400 } };
  expect(await use([gemini, gemini, { ...gemini, id: 'm2' }], 'gemini')).toMatchObject({
    reason: expect.stringContaining('used 1,668 of'),
  });
});

test('session ids never become paths, and only the newest fifty sessions are kept', async () => {
  const transcript = conversation(place.project, inPhaseTwo());
  const input = readHookInput(
    JSON.stringify({ session_id: '../../evil', cwd: place.project, transcript_path: transcript }),
    '/',
  );
  expect(input.session).toMatch(/^[0-9a-f]{32}$/);
  for (let index = 0; index < 55; index += 1)
    await call('pre-compact', { session: `session-${index}`, transcript });
  const { readdirSync } = await import('node:fs');
  expect(readdirSync(sessionFolder(place.project))).toHaveLength(50);
});

test('no input and no conversation makes a hook throw', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.constantFrom(...inPhaseTwo().map((line) => JSON.stringify(line))),
        ),
      ),
      fc.string(),
      async (lines, stdin) => {
        const file = path.join(place.project, 'any.jsonl');
        writeFileSync(file, lines.join('\n'));
        readTranscript(file);
        readHookInput(stdin, place.project);
        for (const event of ['pre-compact', 'stop', 'session-start'] as const)
          await call(event, { transcript: file, source: 'compact' }, { settleMs: 0 });
      },
    ),
    { numRuns: 40 },
  );
});

test('a phase document that is a link out of its package is not shown, and a planted session shows no file of the user', async () => {
  const secret = path.join(path.dirname(place.project), `${path.basename(place.project)}-secret`);
  writeFileSync(secret, 'secret');
  try {
    const transcript = conversation(place.project, inPhaseTwo());
    await call('pre-compact', { transcript });
    const session = await readSession(place.project, 'session-1');
    expect(session.workflow?.file).toBe(place.phase(2));
    rmSync(place.phase(2));
    symlinkSync(secret, place.phase(2));
    const text = textOf(await call('session-start', { source: 'compact' }));
    expect(text).toContain('# Where you are');
    expect(text).not.toContain('secret');
    // It is not written again either.
    rmSync(path.join(sessionFolder(place.project), 'session-1.json'));
    await call('pre-compact', { transcript });
    expect((await readSession(place.project, 'session-1')).workflow).toBeUndefined();
    // A clone may contain its own session.
    const planted = { ...session, due: true, workflow: { ...session.workflow, file: secret } };
    writeFileSync(path.join(sessionFolder(place.project), 'unnamed.json'), JSON.stringify(planted));
    expect(textOf(await call('before-agent', { session: 'unnamed' }))).not.toContain('secret\n');
  } finally {
    rmSync(secret);
  }
});
