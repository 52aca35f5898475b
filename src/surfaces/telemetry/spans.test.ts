import { expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../../engine/event.ts';
import type { LedgerEntry } from '../../engine/ledger.ts';
import { nothingTraced, type SpanDraft, traceEvent } from './spans.ts';
import { spanIdOf, traceOf, wantedTelemetry } from './telemetry.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const measured = {
  basis: 'measured',
  inputTokens: 900,
  cachedInputTokens: 400,
  outputTokens: 100,
  usd: 0.01,
} as const;
const unknown = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;

function call(id: string, fields: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    v: 1,
    id,
    time: new Date(start + 5000).toISOString(),
    phase: '2a',
    task: 'sketch',
    seat: 'arch',
    agent: 'claude',
    family: 'anthropic',
    model: 'claude-opus-4',
    usage: measured,
    durationMs: 2000,
    ...fields,
  };
}

function spansOf(bodies: readonly EventBody[], ledger: readonly LedgerEntry[], title = false): SpanDraft[] {
  let tracing = nothingTraced;
  return bodies.flatMap((body, index) => {
    const frame = { v: 1 as const, id: String(index), run: 'r1', seq: index + 1 };
    const event = { ...frame, time: new Date(start + index * 1000).toISOString(), ...body } as RunEvent;
    const { next, spans } = traceEvent(tracing, event, () => ledger, { title });
    tracing = next;
    return spans;
  });
}

const story: EventBody[] = [
  { type: 'run-start', workflow: 'design', title: 'secret feature' },
  { type: 'phase-start', phase: '2a', line: '2a' },
  { type: 'lane-queue', lane: 'arch', task: 'sketch', seat: 'arch', label: 'Arch', phase: '2a' },
  { type: 'lane-start', lane: 'arch', agent: 'codex', attempt: 1 },
  { type: 'lane-retry', lane: 'arch', agent: 'codex', attempt: 1, kind: 'rate_limit', message: 'slow' },
  { type: 'lane-start', lane: 'arch', agent: 'claude', attempt: 2 },
  { type: 'lane-end', lane: 'arch', agent: 'claude', kind: 'ok', elapsedMs: 1, usage: measured },
  { type: 'phase-end', phase: '2a', elapsedMs: 6000 },
  { type: 'run-end', status: 'done', exit: 0 },
];

test('a run is a tree of workflow, phase, lane and agent calls with the attributes of the conventions', () => {
  const ledger = [
    call('arch-1', { agent: 'codex', family: 'openai', usage: unknown }),
    call('arch-2'),
    call('arch-2-repair'),
  ];
  const spans = spansOf(story, ledger);
  expect(spans.map(({ key, parent, name }) => [key, parent, name])).toEqual([
    ['call:arch-1', 'lane:arch', 'invoke_agent codex'],
    ['call:arch-2', 'lane:arch', 'invoke_agent claude'],
    ['call:arch-2-repair', 'lane:arch', 'invoke_agent claude'],
    ['lane:arch', 'phase:2a', 'lane arch'],
    ['phase:2a', 'run', 'phase 2a'],
    ['run', undefined, 'invoke_workflow design'],
  ]);
  const [failed, good] = spans;
  expect(failed?.error).toBe('rate_limit');
  expect(failed?.attributes).not.toHaveProperty(['gen_ai.usage.input_tokens']);
  expect(failed?.attributes).toMatchObject({
    'charrette.usage.basis': 'unknown',
    'charrette.cost.basis': 'unknown',
  });
  expect(good?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.agent.name': 'claude',
    'gen_ai.response.model': 'claude-opus-4',
    'gen_ai.usage.input_tokens': 900,
    'gen_ai.usage.output_tokens': 100,
    'gen_ai.usage.cache_read.input_tokens': 400,
    'charrette.cost.usd': 0.01,
    'charrette.cost.basis': 'measured',
  });
  expect(good).toMatchObject({ start: start + 3000, end: start + 5000, kind: 'client', error: undefined });
  expect(spans.at(-1)).toMatchObject({ start, end: start + 8000 });
});

test('a phase that says twice that it is over, or never, has one span; one that begins again has another', () => {
  const phase = (name: string): EventBody => ({ type: 'phase-start', phase: name, line: name });
  const spans = spansOf(
    [
      phase('a'),
      { type: 'phase-end', phase: 'a', elapsedMs: 1000 },
      { type: 'phase-end', phase: 'a', elapsedMs: 2000 },
      phase('b'),
      phase('a'),
      { type: 'run-pause', reason: 'stop' },
    ],
    [],
  );
  expect(spans.map(({ key, start: from, end }) => [key, from - start, end - start])).toEqual([
    ['phase:a', 0, 2000],
    ['phase:b', 3000, 4000],
    ['phase:a+', 4000, 5000],
  ]);
});

test('what the person wrote leaves the program only when it is asked for', () => {
  expect(JSON.stringify(spansOf(story, []))).not.toContain('secret');
  expect(JSON.stringify(spansOf(story, [], true))).toContain('secret feature');
});

test('calls of a workflow without lanes belong to their phase', () => {
  const bodies = story.filter(({ type }) => !type.startsWith('lane-'));
  expect(spansOf(bodies, [call('phase-1-1-1')])[0]).toMatchObject({ parent: 'phase:2a' });
});

test('the same run has the same ids everywhere; a caller’s trace continues', () => {
  expect(traceOf('r1', {})).toEqual(traceOf('r1', { TRACEPARENT: 'nonsense' }));
  expect(traceOf('r1', {}).traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(spanIdOf('r1', 'run')).toMatch(/^[0-9a-f]{16}$/);
  const caller = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  expect(traceOf('r1', { TRACEPARENT: caller })).toEqual({
    traceId: 'a'.repeat(32),
    parentSpanId: 'b'.repeat(16),
  });
  expect(
    traceOf('r1', { TRACEPARENT: `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01` }).parentSpanId,
  ).toBeUndefined();
});

test('nothing is exported unless the standard variables ask for it', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(wantedTelemetry({})).toEqual({ wanted: false });
  expect(wantedTelemetry({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toEqual({ wanted: false });
  expect(wantedTelemetry({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toEqual({ wanted: false });
  expect(wantedTelemetry(endpoint)).toEqual({ wanted: true, protocol: 'http/protobuf' });
  expect(wantedTelemetry({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })).toEqual({
    wanted: true,
    protocol: 'http/json',
  });
  expect(wantedTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' })).toMatchObject({
    unsupported: expect.stringContaining('http://'),
  });
  expect(wantedTelemetry({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toMatchObject({
    unsupported: expect.stringContaining('grpc'),
  });
});
