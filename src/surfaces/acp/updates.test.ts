import { expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../../engine/event.ts';
import { featureText } from './agent.ts';
import { buttonsOf, formOf, wayFor } from './ask.ts';
import { nothingTold, updatesOf } from './updates.ts';

function printNotice(...bodies: EventBody[]) {
  let telling = nothingTold;
  return bodies.map((body, index) => {
    const frame = {
      v: 1 as const,
      id: String(index),
      run: 'r',
      seq: index + 1,
      time: '2026-01-01T00:00:00.000Z',
    };
    const { next, updates } = updatesOf(telling, { ...frame, ...body } as RunEvent);
    telling = next;
    return updates;
  });
}

const lane: EventBody = {
  type: 'lane-queue',
  lane: 'a',
  task: 'sketch',
  seat: 'a',
  label: 'One-Arch',
  phase: '2a',
};

test('phases are entries of the plan, with those that are still to come', () => {
  const [, , started] = printNotice(
    { type: 'run-start', workflow: 'design', title: 'x' },
    { type: 'phase-start', phase: '0', line: '> **🔶 0: setup**' },
    { type: 'phase-start', phase: '1', line: '> **🔶 1: branch**' },
  );
  const [plan] = started ?? [];
  expect(plan).toMatchObject({ sessionUpdate: 'plan' });
  const entries = plan?.sessionUpdate === 'plan' ? plan.entries : [];
  expect(entries.slice(0, 3).map(({ content, status }) => [content, status])).toEqual([
    ['0: setup', 'completed'],
    ['1: branch', 'in_progress'],
    ['1c: questions', 'pending'],
  ]);
  expect(entries).toHaveLength(12);
});

test('lanes are tool calls that end completed or failed, with agent, time and tokens', () => {
  const usage = { basis: 'estimated', inputTokens: 900, cachedInputTokens: 0, outputTokens: 100 } as const;
  const [queued, started, ended] = printNotice(
    lane,
    { type: 'lane-start', lane: 'a', agent: 'one', attempt: 1 },
    {
      type: 'lane-end',
      lane: 'a',
      agent: 'one',
      kind: 'timeout',
      message: 'too slow',
      elapsedMs: 2000,
      usage,
    },
  );
  expect(queued?.at(-1)).toMatchObject({
    sessionUpdate: 'tool_call',
    toolCallId: 'r/a',
    title: 'One-Arch: sketch',
    status: 'pending',
  });
  expect(started).toMatchObject([{ sessionUpdate: 'tool_call_update', status: 'in_progress' }]);
  expect(ended).toMatchObject([
    { status: 'failed', content: [{ content: { text: 'one, 2s, ~1k tokens, too slow' } }] },
  ]);
});

test('a lane that was stopped and waits once more stays the same tool call', () => {
  const [, , , again] = printNotice(
    lane,
    { type: 'lane-start', lane: 'a', agent: 'one', attempt: 1 },
    { type: 'run-pause', reason: 'stop' },
    lane,
  );
  expect(again?.filter(({ sessionUpdate }) => sessionUpdate !== 'plan')).toEqual([
    { sessionUpdate: 'tool_call_update', toolCallId: 'r/a', status: 'pending' },
  ]);
});

test('warnings come without escapes', () => {
  const [, said] = printNotice(lane, { type: 'warning', text: '**⚠ a \u001b[31mseat\u001b[0m is empty**' });
  expect(said?.at(-1)).toEqual({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: '⚠ a seat is empty\n\n' },
  });
});

test('a question is a form where the editor has forms, else buttons, else words', () => {
  const closed = {
    id: 'consent',
    text: 'May they read?',
    options: [
      { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No' },
    ],
    recommended: 'yes',
  };
  expect(wayFor(closed, { elicitation: { form: {} } })).toBe('form');
  expect(wayFor(closed, {})).toBe('buttons');
  expect(wayFor({ id: 'x', text: 'What?' }, undefined)).toBe('message');
  expect(buttonsOf({ sessionId: 's', run: 'r' }, closed).toolCall.toolCallId).toBe('r/question-consent');
  expect(buttonsOf({ sessionId: 's', run: 'r' }, closed).options).toEqual([
    { optionId: 'yes', name: 'Yes (recommended)', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ]);
  expect(formOf('s', closed)).toMatchObject({
    requestedSchema: {
      properties: {
        answer: {
          default: 'yes',
          oneOf: [
            { const: 'yes', title: 'Yes' },
            { const: 'no', title: 'No' },
          ],
        },
      },
    },
  });
});

test('a prompt is its words, the files it names and the text the editor attached', () => {
  expect(
    featureText([
      { type: 'text', text: 'limit requests in' },
      { type: 'resource_link', name: 'app.ts', uri: 'file:///shop/src/app.ts' },
      { type: 'resource', resource: { uri: 'file:///shop/notes.md', text: 'ten per second' } },
      { type: 'image', data: '', mimeType: 'image/png' },
    ]),
  ).toBe('limit requests in /shop/src/app.ts\n\n/shop/notes.md:\nten per second');
  expect(featureText([{ type: 'text', text: '  ' }])).toBe('');
});
