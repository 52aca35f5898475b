import { expect, test } from 'vitest';
import { statusLine } from '../../council/breadcrumbs.ts';
import type { EventBody, RunEvent } from '../../engine/event.ts';
import { makeStatusLines } from './reporter.ts';

const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;
const queue = (lane: string, label: string): EventBody => ({
  type: 'lane-queue',
  lane,
  label,
  task: 'sketch',
  seat: lane,
  phase: '2a',
});
const end = (lane: string, kind: 'ok' | 'timeout', elapsedMs: number): EventBody => ({
  type: 'lane-end',
  lane,
  agent: 'codex',
  kind,
  elapsedMs,
  usage,
});

function follow(bodies: readonly EventBody[]): string[] {
  const lines = makeStatusLines();
  return bodies.flatMap((body, seq) =>
    lines({ v: 1, id: `${seq}`, run: 'r', seq, time: '', ...body } as RunEvent),
  );
}

const labels = ['Cursor-Arch', 'Cursor-Edge', 'Codex-Innovation'];
const launch = [
  { type: 'phase-start', phase: '2a', line: '' },
  ...labels.map((label, index) => queue(`lane-${index}`, label)),
  {
    type: 'note',
    text: statusLine(
      'sketches-regular',
      labels.map((label) => ({ label, status: { state: 'pending' } })),
    ),
  },
] satisfies EventBody[];

test('L-040, L-041, L-043: one line per change, in the fixed order; the run prints launch and end', () => {
  expect(
    follow([
      ...launch,
      end('lane-2', 'ok', 185_000),
      end('lane-0', 'timeout', 483_000),
      end('lane-1', 'ok', 1),
    ]),
  ).toEqual([
    '📊 Sketches (regular): | Cursor-Arch: ⏳ | Cursor-Edge: ⏳ | Codex-Innovation: ✅ 3m5s |',
    '📊 Sketches (regular): | Cursor-Arch: ❌ 8m3s | Cursor-Edge: ⏳ | Codex-Innovation: ✅ 3m5s |',
  ]);
});

test('L-040: lanes without a table have no line, also after one with a table', () => {
  const debate = [queue('debate', 'DECISION_1 thesis'), queue('other', 'DECISION_1 antithesis')];
  expect(follow([...debate, end('debate', 'ok', 1)])).toEqual([]);
  expect(follow([...launch, ...debate, end('debate', 'ok', 1)])).toEqual([]);
});
