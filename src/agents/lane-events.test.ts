import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parseJson } from '../base/safe-json.ts';
import { openLaneEvents } from './call-events.ts';
import type { AgentEvent } from './port.ts';

let lane: string;
beforeEach(() => {
  lane = mkdtempSync(path.join(tmpdir(), 'lane-events-'));
});

const kept = () =>
  readFileSync(path.join(lane, 'events.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line, 'event') as AgentEvent);
const textOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

test('pieces of text that come at once are one event, in order with everything else', () => {
  const events = openLaneEvents(lane);
  for (const text of ['a', 'b', 'c']) events.note({ type: 'text-delta', text });
  // The first word can be seen at once.
  expect(kept()).toEqual([{ type: 'text-delta', text: 'a' }]);
  events.note({ type: 'tool-start', tool: 'read' });
  events.note({ type: 'text-delta', text: 'd' });
  events.close();
  events.note({ type: 'text-delta', text: 'too late' });
  expect(textOf(kept())).toBe('abcd');
  expect(kept().findIndex(({ type }) => type === 'tool-start')).toBeGreaterThan(0);
  expect(kept().at(-1)).toEqual({ type: 'text-delta', text: 'd' });
});

test('two million bytes of nothing but line ends stay about as many, and are all there', () => {
  const events = openLaneEvents(lane);
  for (let line = 0; line < 2_000_000; line += 1) events.note({ type: 'text-delta', text: '\n' });
  events.close();
  expect(statSync(path.join(lane, 'events.jsonl')).size).toBeLessThan(5_000_000);
  expect(textOf(kept())).toBe('\n'.repeat(2_000_000));
});

test.each<[string, AgentEvent]>([
  ['text', { type: 'text-delta', text: 'x'.repeat(100_000) }],
  ['other events', { type: 'tool-start', tool: 'read', detail: 'y'.repeat(100_000) }],
])('omits %s beyond the limit and reports that last', (_, event) => {
  const events = openLaneEvents(lane);
  for (let count = 0; count < 400; count += 1) events.note(event);
  events.close();
  expect(statSync(path.join(lane, 'events.jsonl')).size).toBeLessThan(9_000_000);
  expect(kept().at(-1)).toMatchObject({ type: 'error', message: expect.stringContaining('omitted') });
});
