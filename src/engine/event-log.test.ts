import { expect, test } from 'vitest';
import { parseJson } from '../base/safe-json.ts';
import { eventSchema } from '../base/schema/run-files.ts';
import type { EventBody } from './event.ts';
import { readEventLines } from './event-reading.ts';

const usage = { basis: 'measured', inputTokens: 1, cachedInputTokens: 0, outputTokens: 2 } as const;
const question = { id: 'q', text: 'Which?', detail: 'x', options: [{ value: 'a', label: 'A' }] };

/** One of each, with every field that it may have. */
const bodies: { [Type in EventBody['type']]: Extract<EventBody, { type: Type }> } = {
  'run-start': { type: 'run-start', workflow: 'design', title: 't' },
  'run-resume': { type: 'run-resume', attempt: 1 },
  'run-pause': { type: 'run-pause', reason: 'stop' },
  'run-end': { type: 'run-end', status: 'done', exit: 0, message: 'm' },
  'phase-start': { type: 'phase-start', phase: '1', line: 'l' },
  'phase-end': { type: 'phase-end', phase: '1', line: 'l', elapsedMs: 1 },
  'phase-skip': { type: 'phase-skip', phase: '1', line: 'l', elapsedMs: 1 },
  warning: { type: 'warning', phase: '1', text: 't' },
  note: { type: 'note', phase: '1', text: 't' },
  body: { type: 'body', heading: 'h', text: 't' },
  'lane-queue': { type: 'lane-queue', lane: 'a', task: 't', seat: 's', label: 'l', phase: '1' },
  'lane-start': { type: 'lane-start', lane: 'a', agent: 'x', attempt: 1 },
  'lane-retry': { type: 'lane-retry', lane: 'a', agent: 'x', attempt: 1, kind: 'timeout', message: 'm' },
  'lane-end': {
    type: 'lane-end',
    lane: 'a',
    agent: 'x',
    kind: 'ok',
    message: 'm',
    elapsedMs: 1,
    usage: { ...usage, reasoningTokens: 1, usd: 0.5 },
  },
  'question-ask': { type: 'question-ask', questions: [{ ...question, recommended: 'a' }] },
  'question-answer': { type: 'question-answer', answers: [{ question: 'q', value: 'a', source: 'person' }] },
  'artifact-write': { type: 'artifact-write', name: 'n', bytes: 1, digest: 'd' },
  record: { type: 'record', name: 'n', value: { any: 'thing' } },
};

const time = '2026-01-02T03:04:05.678Z';
const whole = Object.values(bodies).map((body) => ({ v: 1, id: body.type, run: 'r', seq: 1, time, ...body }));
const read = (...values: unknown[]) =>
  readEventLines(values.map((value) => `${JSON.stringify(value)}\n`).join(''));

test('events are read as they are, those of a later version too', () => {
  const later = { v: 1, id: 'x', run: 'r', seq: 1, time, type: 'weather', sky: 5 };
  const all = [...whole, { ...later, type: 'constructor' }, later];
  expect(read(...all)).toEqual(all.map((event, index) => ({ ...event, seq: index + 1 })));
});

const wrong = [undefined, null, -1, 7, 'text', [], [null], [{}], {}];

/** The same value with another in some place of it, each in turn. */
function* changed(value: unknown): Generator<unknown> {
  yield* wrong;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const other of changed(inner)) yield Array.isArray(value) ? [other] : { ...value, [key]: other };
}

test.each(whole)('a warning replaces what the schema of $type does not allow', (event) => {
  const { seq: _seq, ...rest } = event;
  const [line] = read(event);
  expect(eventSchema.safeParse(line).error).toBeUndefined();
  for (const [key, value] of Object.entries(rest)) {
    // Any value is one, and so is none.
    if (key === 'v' || key === 'type' || key === 'value') continue;
    for (const other of changed(value)) {
      const broken = parseJson(JSON.stringify({ ...event, [key]: other }), 'the event');
      const [seen] = read(broken);
      const said = { seq: 1, type: 'warning', text: expect.stringContaining(`event 1 (${event.type})`) };
      if (eventSchema.safeParse(broken).success) expect(seen, JSON.stringify(broken)).toEqual(broken);
      else expect(seen, JSON.stringify(broken)).toMatchObject(said);
    }
  }
});

test('invalid lines keep their number and take the time of their neighbours', () => {
  const [note] = read({ ...whole[0], id: 'a', time });
  const text = `null\n{"id":\n\n[]\n${JSON.stringify(note)}\n5\n{"cut`;
  const events = readEventLines(text, 10);
  expect(events.map(({ seq }) => seq)).toEqual([11, 12, 13, 14, 15, 16]);
  expect(new Set(events.map((event) => event.time))).toEqual(new Set([time]));
  expect(events.map(({ type }) => type)).toEqual([...Array(4).fill('warning'), 'run-start', 'warning']);
  expect(readEventLines('{}\n')).toMatchObject([{ time: '1970-01-01T00:00:00.000Z' }]);
});

test('a number that is made up hides no event after it', () => {
  const [first, second] = read({ ...whole[0], seq: 1e9 }, { ...whole[1], seq: 'x' });
  expect([first?.seq, second?.seq]).toEqual([1, 2]);
});
