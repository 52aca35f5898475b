import fc from 'fast-check';
import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../../../engine/event.ts';
import type { Question } from '../../../engine/question.ts';
import { emptyView, foldEvent } from '../../../service/run-view.ts';
import { marksFor } from './marks.ts';
import { type Canvas, fitRows, pictureOf } from './picture.ts';
import { questionLines } from './question-lines.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const marks = marksFor({ LANG: 'en_GB.UTF-8' });
const canvas: Canvas = {
  columns: 80,
  now: start + 45_000,
  frame: 0,
  marks,
  colors: createColors(false),
  final: false,
};

function viewOf(...bodies: EventBody[]) {
  const events = bodies.map(
    (body, index): RunEvent => ({
      v: 1,
      id: String(index),
      run: 'r1',
      seq: index + 1,
      time: new Date(start).toISOString(),
      ...body,
    }),
  );
  return events.reduce(foldEvent, emptyView);
}

const lane = (name: string, label: string): EventBody => ({
  type: 'lane-queue',
  lane: name,
  task: 'sketch',
  seat: name,
  label,
  phase: '2a',
});

const sketching: EventBody[] = [
  { type: 'run-start', workflow: 'design', title: 'cancel an order' },
  { type: 'phase-start', phase: '1', line: '> **🔶 1: branch**' },
  { type: 'phase-end', phase: '1', line: '✅ 1: branch — created dev/x (0s)', elapsedMs: 400 },
  { type: 'phase-start', phase: '2a', line: '> **🔶 2a: sketches**' },
  lane('a', 'Claude-Arch'),
  lane('b', 'Codex-Edge'),
  lane('c', 'Codex-Pragmatic'),
  { type: 'lane-start', lane: 'a', agent: 'claude', attempt: 1 },
  { type: 'lane-start', lane: 'b', agent: 'codex', attempt: 2 },
  {
    type: 'lane-end',
    lane: 'b',
    agent: 'codex',
    kind: 'ok',
    elapsedMs: 38_000,
    usage: { basis: 'estimated', inputTokens: 12_000, cachedInputTokens: 0, outputTokens: 100 },
  },
];

function textOf(view: ReturnType<typeof viewOf>, changes: Partial<Canvas> = {}): string[] {
  return pictureOf(view, { ...canvas, ...changes }).map(({ text }) => text);
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '\u001b[2J',
    '\u001b]0;x\u0007',
    'a\r\nb',
    '**⚠ x**',
    '界'.repeat(30),
    '👩‍👩‍👧 '.repeat(9),
    '',
  ),
);
const name = fc.constantFrom('a', 'b', 'c');
const anyBody: fc.Arbitrary<EventBody> = fc.oneof(
  fc.record({ type: fc.constant('run-start' as const), workflow: name, title: text }),
  fc.record({
    type: fc.constantFrom('run-pause' as const),
    reason: fc.constantFrom('question' as const, 'stop' as const),
  }),
  fc.record({ type: fc.constant('run-resume' as const), attempt: fc.nat() }),
  fc.record({ type: fc.constant('run-end' as const), status: text, exit: fc.constant(1), message: text }),
  fc.record({ type: fc.constant('phase-start' as const), phase: name, line: text }),
  fc.record({
    type: fc.constantFrom('phase-end' as const, 'phase-skip' as const),
    phase: name,
    line: text,
    elapsedMs: fc.nat(),
  }),
  fc.record({ type: fc.constantFrom('note' as const, 'warning' as const), phase: name, text }),
  fc.record({
    type: fc.constant('lane-queue' as const),
    lane: name,
    task: name,
    seat: name,
    label: text,
    phase: name,
  }),
  fc.record({
    type: fc.constant('lane-start' as const),
    lane: name,
    agent: text,
    attempt: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({
    type: fc.constant('lane-end' as const),
    lane: name,
    agent: text,
    kind: fc.constantFrom('ok' as const, 'not_substantive' as const),
    elapsedMs: fc.nat(),
    usage: fc.record({
      basis: fc.constantFrom('measured' as const, 'estimated' as const, 'unknown' as const),
      inputTokens: fc.nat(),
      cachedInputTokens: fc.constant(0),
      outputTokens: fc.nat(),
    }),
  }),
  fc.record({
    type: fc.constant('question-ask' as const),
    questions: fc.array(
      fc.record({
        id: name,
        text,
        detail: text,
        options: fc.array(fc.record({ value: text, label: text }), { maxLength: 3 }),
        recommended: text,
      }),
      { maxLength: 2 },
    ),
  }),
);

describe('the picture of a run', () => {
  test('phases as a list, one line per lane with agent, state, elapsed and tokens', () => {
    expect(textOf(viewOf(...sketching))).toEqual([
      '◆ cancel an order  design · 45s · ~12.1k tokens',
      ' ✔ 1: branch — created dev/x · 0s',
      ' ◐ 2a: sketches · 45s · 3 lanes · ~12.1k tokens',
      '   ◐ Claude-Arch      claude  running  45s',
      '   ✔ Codex-Edge       codex   ok       38s  ~12.1k tokens',
      '   ○ Codex-Pragmatic          queued',
    ]);
  });

  test('a narrow terminal loses tokens first, then the agent, then the time', () => {
    const lanes = (columns: number) => textOf(viewOf(...sketching), { columns }).slice(3, 5);
    expect(lanes(45)).toEqual([
      '   ◐ Claude-Arch      claude  running  45s',
      '   ✔ Codex-Edge       codex   ok       38s',
    ]);
    expect(lanes(34)).toEqual(['   ◐ Claude-Arch      running  45s', '   ✔ Codex-Edge       ok       38s']);
    expect(lanes(22)).toEqual(['   ◐ Claude-…  running', '   ✔ Codex-E…  ok']);
  });

  test('a question shows its choices, marks the recommended one and says how to answer', () => {
    const view = viewOf(...sketching, {
      type: 'question-ask',
      questions: [
        {
          id: 'scope',
          text: 'Which orders?',
          detail: 'Shipped ones need a return.\n\nOpen ones do not.',
          options: [
            { value: 'open', label: 'Only open ones' },
            { value: 'all', label: 'All' },
          ],
          recommended: 'open',
        },
      ],
    });
    expect(textOf(view).slice(-6)).toEqual([
      ' ? Which orders?',
      '     Shipped ones need a return.',
      '     Open ones do not.',
      '     › open: Only open ones (recommended)',
      '       all: All',
      '     charrette answer r1 scope=open',
    ]);
  });

  test('how to answer is a whole command line: a word for the shell, and a short id where the whole one has no room', () => {
    const lastLine = (question: Question, run: string, columns: number) =>
      questionLines(question, run, { columns, marks, colors: createColors(false) }).at(-1);
    const id = '20260101-000000-let-customers-cancel-an-order-before-it-4f2a90c1';
    const closed = { id: 'how', text: 'How?', options: [{ value: 'it is', label: 'Unchanged' }] };
    expect(lastLine(closed, id, 80)).toBe("     charrette answer 4f2a90c1 'how=it is'");
    expect(lastLine(closed, id, Number.POSITIVE_INFINITY)).toContain(`answer ${id} 'how=it is'`);
    expect(lastLine({ id: 'why', text: 'Why?', recommended: "it's \u001b[2Jso" }, 'r1', 80)).toMatch(
      /^ {5}charrette answer r1 'why=it'\\''s [^\u001b]*so'$/,
    );
    expect(lastLine({ id: 'why', text: 'Why?' }, 'r1', 80)).toBe(
      "     charrette answer r1 'why=YOUR ANSWER'",
    );
  });

  test('a lane that is tried again, or failed, says why', () => {
    const again = viewOf(
      ...sketching,
      {
        type: 'lane-retry',
        lane: 'a',
        agent: 'claude',
        attempt: 1,
        kind: 'bad_output',
        message: 'approach is missing',
      },
      { type: 'lane-start', lane: 'a', agent: 'claude', attempt: 2 },
    );
    const lines = textOf(again);
    const at = lines.findIndex((line) => line.includes('running, attempt 2'));
    expect(lines[at + 1]).toBe('       approach is missing');
  });

  test('unknown tokens are called unknown, never nothing', () => {
    const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;
    const view = viewOf(...sketching, {
      type: 'lane-end',
      lane: 'a',
      agent: 'claude',
      kind: 'timeout',
      elapsedMs: 1,
      usage,
    });
    const lines = textOf(view);
    expect(lines[2]).toContain('~12.1k tokens + 1 call unknown');
    expect(lines[3]).toMatch(/^ {3}✖ Claude-Arch .* timeout +0s +\? tokens$/);
  });

  test('without motion nothing turns, with it the open signs do', () => {
    const signs = [0, 1, 2].map((frame) => textOf(viewOf(...sketching), { frame })[3]?.slice(3, 4));
    expect(signs).toEqual(['◐', '◓', '◑']);
  });

  test('the Linux console and the C locale get ASCII', () => {
    const lines = textOf(viewOf(...sketching), { marks: marksFor({ TERM: 'linux' }) });
    expect(lines.join('').replace('—', '')).toMatch(/^[\x20-\x7e]*$/);
    expect(marksFor({ LC_ALL: 'C' })).toEqual(marksFor({ TERM: 'linux' }));
  });

  test('on a low screen the past goes first and a line says how much is not shown', () => {
    const lines = pictureOf(viewOf(...sketching), canvas);
    expect(fitRows(lines, 4, marks).map(({ text }) => text)).toEqual([
      '◆ cancel an order  design · 45s · ~12.1k tokens',
      ' ⋮ 3 more',
      ' ◐ 2a: sketches · 45s · 3 lanes · ~12.1k tokens',
      '   ◐ Claude-Arch      claude  running  45s',
    ]);
    expect(fitRows(lines, 6, marks)).toEqual(lines);
  });

  test('every line belongs to an event, fits its row and has no control characters, whatever the events are', () => {
    fc.assert(
      fc.property(
        fc.array(anyBody, { maxLength: 25 }),
        fc.integer({ min: 20, max: 140 }),
        fc.integer({ min: 3, max: 40 }),
        fc.boolean(),
        (bodies, columns, rows, final) => {
          const view = viewOf(...bodies);
          const lines = fitRows(pictureOf(view, { ...canvas, columns, final }), rows, marks);
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const { text, seq } of lines) {
            expect(seq).toBeGreaterThan(0);
            expect(seq).toBeLessThanOrEqual(bodies.length);
            expect(stringWidth(text)).toBeLessThanOrEqual(columns);
            expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
