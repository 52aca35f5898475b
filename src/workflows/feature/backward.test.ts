import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BackwardTrip, readBackwardRequest } from '../../prompts/feature/archive.ts';
import { readMeta } from '../../prompts/feature/meta.ts';
import { backwardIssues, decideBackward } from './backward.ts';
import type { GateResult } from './rules/gate.ts';
import { serializeMeta, withPhaseCompleted, withPhaseStarted, withTravelBack } from './rules/meta-write.ts';
import { phases } from './rules/phases.ts';
import { transitionTo } from './rules/status.ts';

const failed = (issues: number): GateResult => ({
  reviewer: 'rejected',
  gate: 'fail',
  open: Array.from({ length: issues }, () => ({ severity: 'blocker', description: 'd' })),
  waived: [],
  reason: '',
});
const request = (to: string) => ({ to, findings: [] });
const decide = (from: 'design' | 'plan' | 'implement', to: string, more: object = {}, result = failed(2)) =>
  decideBackward({ from, request: request(to), result, meta: { backwardTrips: [], ...more } });

test.each([
  ['implement', 'design', 'design'],
  ['implement', 'plan', 'plan'],
  ['implement', 'tasks.md', 'tasks'],
  ['design', 'Spec', 'specify'],
] as const)('§2F: from %s back to %s', (from, word, to) => {
  expect(decide(from, word)).toEqual({ kind: 'ask', to });
});

test.each([
  ['design', 'design', 'not an earlier phase'],
  ['design', 'implement', 'not an earlier phase'],
  ['design', 'brainstorm', 'not an earlier phase'],
  ['implement', '__proto__', 'not an earlier phase'],
] as const)('§2F: from %s to %s is not a way back', (from, word, reason) => {
  expect(decide(from, word)).toEqual({ kind: 'ignored', reason: expect.stringContaining(reason) });
});

test('§2F: a mode without the phase has no way back to it, and a gate that passed needs none', () => {
  expect(decide('implement', 'design', { mode: 'light' })).toMatchObject({ kind: 'ignored' });
  expect(decide('implement', 'specify', { mode: 'light' })).toEqual({ kind: 'ask', to: 'specify' });
  expect(decide('implement', 'design', {}, { ...failed(0), gate: 'pass' })).toMatchObject({
    kind: 'ignored',
  });
});

test('§2F: two travels are free; a third needs fewer issues than the second had', () => {
  const trip = (issues: number): BackwardTrip => ({ from: 'design', to: 'specify', issues });
  const after = (trips: BackwardTrip[], issues: number) =>
    decide('design', 'specify', { backwardTrips: trips }, failed(issues)).kind;
  expect(after([trip(1)], 9)).toBe('ask');
  expect(after([trip(5), trip(3)], 2)).toBe('ask');
  expect(after([trip(5), trip(3)], 3)).toBe('ignored');
  expect(after([trip(5), { ...trip(0), from: 'implement' }], 9)).toBe('ask');
});

test('§2F: whatever reviewers count, two phases cannot send each other work for ever', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 30 }), { minLength: 60, maxLength: 60 }), (counts) => {
      const backwardTrips: BackwardTrip[] = [];
      for (const issues of counts) {
        const decision = decide('design', 'specify', { backwardTrips: [...backwardTrips] }, failed(issues));
        if (decision.kind !== 'ask') return;
        backwardTrips.push({ from: 'design', to: 'specify', issues });
      }
      expect.unreachable('never parted');
    }),
  );
});

test('§2D: reads any request to go back', () => {
  expect(readBackwardRequest({ backward_to: ' none ' })).toBeUndefined();
  expect(readBackwardRequest({ backward_to: 7 })).toBeUndefined();
  const findings = ['short', 3, {}, { issue: 'i', artifact: 'spec.md', section: 'R1', suggestion: 's' }];
  const read = readBackwardRequest({ backward_to: 'specify', backward_context: { findings } });
  expect(read).toEqual({
    to: 'specify',
    findings: [{ issue: 'short' }, { issue: 'i', artifact: 'spec.md', section: 'R1', suggestion: 's' }],
  });
  expect(backwardIssues(read ?? request(''))).toEqual([
    '[blocker] short',
    '[blocker] i (at: spec.md, R1) Suggestion: s',
  ]);
  expect(backwardIssues({ reason: 'r', findings: [] })).toEqual(['[blocker] r']);
});

const travelled = (raw: object) =>
  withTravelBack(readMeta(JSON.stringify(raw)), {
    from: 'plan',
    to: 'specify',
    request: { to: 'specify', reason: 'r', findings: [{ issue: 'i' }], downstreamImpact: 'd' },
    issues: 2,
    time: 't2',
  });

test('§2E, §2F: the state goes back, keeps what it knew and finds its way forward', () => {
  const state = {
    status: 'active',
    lastCompletedPhase: 'design',
    mine: 1,
    phases: {
      specify: { started: 'a', completed: 'b', iterations: 4 },
      design: { started: 'c', completedAt: 'd' },
      plan: { started: 'e' },
    },
  };
  const raw = travelled(state);
  expect(raw).toEqual({
    status: 'active',
    lastCompletedPhase: null,
    mine: 1,
    phases: {
      specify: { started: 'a', completedBefore: 'b', iterations: 4 },
      design: { started: 'c', completedBefore: 'd' },
      plan: { started: 'e' },
    },
    backward_context: {
      source_phase: 'plan',
      target_phase: 'specify',
      reason: 'r',
      findings: [{ issue: 'i' }],
      downstream_impact: 'd',
    },
    backward_return_target: 'plan',
    backward_trips: [{ from: 'plan', to: 'specify', issues: 2, time: 't2' }],
  });
  let reading = readMeta(serializeMeta(raw));
  const long = 'word '.repeat(30);
  const texts = { spec: `## Acceptance Criteria\n${long}`, design: `## Components\n${long}` };
  for (const phase of ['specify', 'design', 'plan'] as const) {
    expect(transitionTo({ to: phase, meta: reading.meta, texts }).kind).toBe('partial');
    reading = readMeta(serializeMeta(withPhaseStarted(reading, phase, 't')));
    const done = { time: 't', iterations: 1, reviewerNotes: [] };
    reading = readMeta(serializeMeta(withPhaseCompleted(reading, phase, done)));
    expect(reading.raw['backward_context']).toBeUndefined();
    expect(reading.meta.backwardReturnTarget).toBe(phase === 'plan' ? undefined : 'plan');
  }
  expect(reading.meta.backwardTrips).toHaveLength(1);
});

test('§2F: who is sent back on the way keeps the farther goal', () => {
  const raw = travelled({ backward_return_target: 'implement', backward_trips: [{ from: 'implement' }] });
  expect(raw['backward_return_target']).toBe('implement');
  expect(raw['backward_trips']).toHaveLength(2);
  expect(phases.indexOf('implement')).toBeGreaterThan(phases.indexOf('plan'));
});
