import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
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
  options: { part?: number; settleMs?: number } = {},
) =>
  runHook(event, hookInput(place.project, more), {
    host: 'claude',
    now: '2026-01-01T00:00:00.000Z',
    part: 1,
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
  for (const event of ['pre-compact', 'stop', 'before-agent'] as const)
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
