import { expect, test } from 'vitest';
import { redactedCall } from './call-events.ts';
import { type AgentEvent, unknownUsage } from './port.ts';

const secret = 'canary-of-a-shop';

function heardOf(events: readonly AgentEvent[]): AgentEvent[] {
  const heard: AgentEvent[] = [];
  const onEvent = (event: AgentEvent) => void heard.push(event);
  const call = redactedCall({ signal: new AbortController().signal, onEvent }, [secret]);
  for (const event of events) call.context.onEvent(event);
  call.end();
  return heard;
}

const said = (text: string): AgentEvent => ({ type: 'text-delta', text });

const between: AgentEvent[] = [
  { type: 'session-start', session: 's' },
  { type: 'usage', usage: unknownUsage },
  { type: 'retry', reason: 'again' },
  { type: 'error', message: 'no' },
  { type: 'tool-end', tool: 'read', failed: false },
];

test.each(between)('holds half a secret at $type until the other half', (event) => {
  expect(heardOf([said('It is canary-'), event, said('of-a-shop.')])).toEqual([
    said('It is '),
    event,
    said('[secret].'),
  ]);
});

test('emits held text before the tool that ends its message, and at the end of the call', () => {
  const tool: AgentEvent = { type: 'tool-start', tool: 'read' };
  expect(heardOf([said('a can'), tool, said('a canary')])).toEqual([
    said('a '),
    said('can'),
    tool,
    said('a '),
    said('canary'),
  ]);
});

test('a secret is not told by what a tool is given, nor by the reasons of retries and errors', () => {
  const telling: AgentEvent[] = [
    { type: 'tool-start', tool: `read ${secret}`, detail: `cat ${secret}` },
    { type: 'tool-end', tool: `read ${secret}`, failed: true },
    { type: 'retry', reason: `${secret} was refused` },
    { type: 'error', message: `${secret} was refused` },
  ];
  expect(heardOf(telling)).toEqual([
    { type: 'tool-start', tool: 'read [secret]', detail: 'cat [secret]' },
    { type: 'tool-end', tool: 'read [secret]', failed: true },
    { type: 'retry', reason: '[secret] was refused' },
    { type: 'error', message: '[secret] was refused' },
  ]);
});
