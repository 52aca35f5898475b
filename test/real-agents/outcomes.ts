import type { LaneKind } from '../../src/agents/port.ts';
import type { Program } from './harness.ts';

/**
 * What each program's call must come out as for each fault of the model: the checked-in truth of the suites. `refused` is a
 * port without a listener; the others are faults of the scripted model, on every request unless `x1` (once) or `@2` (from
 * the second request on). `ok` on a fault means that the program got over it and gave the whole answer.
 */
export const faults = [
  '401',
  '429',
  '429x1',
  '500',
  '500x1',
  'refused',
  'malformed',
  'malformed@2',
  'truncated',
  'truncated@2',
  'reset',
  'html',
  'empty',
  'toolong',
  'hang',
  'hangmid',
] as const;

export type FaultName = (typeof faults)[number];

/** `garbled` is `ok` with an answer that was damaged on its way: only a schema can tell (trust `schema-only`). */
export type Outcome = LaneKind | 'garbled';

const common = {
  '401': 'auth',
  '429': 'rate_limit',
  '429x1': 'ok',
  '500': 'server',
  '500x1': 'ok',
  refused: 'network',
  malformed: 'stream',
  'malformed@2': 'stream',
  truncated: 'stream',
  'truncated@2': 'stream',
  reset: 'stream',
  html: 'stream',
  empty: 'bad_output',
  toolong: 'context_too_long',
  hang: 'timeout',
  hangmid: 'timeout',
} as const satisfies Record<FaultName, Outcome>;

export const outcomes: Readonly<Record<Program, Readonly<Record<FaultName, Outcome>>>> = {
  claude: common,
  // An event it cannot read is skipped; the last event carries the whole answer.
  codex: { ...common, malformed: 'ok', 'malformed@2': 'ok' },
  // It cannot tell a stream that ends from one that is cut, and skips events it cannot read.
  goose: {
    ...common,
    malformed: 'garbled',
    'malformed@2': 'garbled',
    truncated: 'garbled',
    'truncated@2': 'garbled',
    html: 'bad_output',
  },
  // Their own second try is turned off: ours comes instead.
  grok: { ...common, '429x1': 'rate_limit', '500x1': 'server', html: 'bad_output' },
  gemini: { ...common, '429x1': 'rate_limit', '500x1': 'server', 'truncated@2': 'garbled' },
  // They try again without a word for longer than the limits allow.
  opencode: { ...common, '500': 'timeout', refused: 'timeout' },
  qwen: { ...common, '500': 'timeout' },
  copilot: common,
  pi: { ...common, '429x1': 'rate_limit', '500x1': 'server', html: 'bad_output' },
};
