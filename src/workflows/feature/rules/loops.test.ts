import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GateResult } from './gate.ts';
import {
  afterReview,
  type ImplementLoop,
  type ImplementStep,
  nextImplementStep,
  startImplementLoop,
  startRound,
} from './implement-loop.ts';
import {
  afterAnswer,
  carriedIssues,
  reviewerNotes,
  startReviewLoop,
  totalIterations,
} from './review-loop.ts';

const pass: GateResult = { reviewer: 'approved', gate: 'pass', open: [], waived: [], reason: '' };
const fail: GateResult = {
  reviewer: 'rejected',
  gate: 'fail',
  open: [{ severity: 'blocker', description: 'leak' }],
  waived: [],
  reason: '',
};
const again: GateResult = { ...fail, gate: 'ask-again', open: [] };
const stages = [
  { role: 'spec-reviewer', max: 5 },
  { role: 'phase-reviewer', max: 5 },
];

test('T-119, T-131, lean/C-19: two stages, each with its own rounds, counted from 1', () => {
  let loop = startReviewLoop(stages);
  expect(loop).toMatchObject({ stage: 0, iteration: 1, askedAgain: false });
  for (let round = 0; round < 4; round += 1) loop = afterAnswer(loop, fail);
  expect(loop).toMatchObject({ stage: 0, iteration: 5 });
  loop = afterAnswer(loop, pass);
  expect(loop).toMatchObject({ stage: 1, iteration: 1 });
  loop = afterAnswer(afterAnswer(loop, fail), pass);
  expect(loop).toMatchObject({
    stage: 2,
    finished: [
      { approved: true, iterations: 5 },
      { approved: true, iterations: 2 },
    ],
  });
  expect(totalIterations(loop)).toBe(7);
});

test('T-120: at the cap the phase continues and carries what is open', () => {
  let loop = startReviewLoop(stages);
  for (let round = 0; round < 5; round += 1) loop = afterAnswer(loop, fail);
  expect(loop.finished).toEqual([
    { role: 'spec-reviewer', approved: false, iterations: 5, max: 5, unresolved: fail.open },
  ]);
  expect(loop).toMatchObject({ stage: 1, iteration: 1 });
});

test('T-118, tricky case 10: an unusable answer is asked for once more in the same round, then counts as failed', () => {
  let loop = afterAnswer(startReviewLoop(stages), again);
  expect(loop).toMatchObject({ iteration: 1, askedAgain: true });
  loop = afterAnswer(loop, again);
  expect(loop).toMatchObject({ iteration: 2, askedAgain: false });
});

test('T-132: notes are what did not block, or everything at the cap, or nothing', () => {
  const issues = [
    { severity: 'blocker', description: 'b' },
    { severity: 'warning', description: 'w' },
    { severity: 'suggestion', description: 's', location: 'x' },
  ] as const;
  expect(reviewerNotes(issues, false).map(({ description }) => description)).toEqual(['w', 's']);
  expect(reviewerNotes(issues, true)).toHaveLength(3);
  expect(reviewerNotes(carriedIssues([]), true)).toEqual([]);
});

test('T-120: what the first reviewer left open is carried although the last one approved, each issue once', () => {
  let loop = startReviewLoop(stages);
  for (let round = 0; round < 5; round += 1) loop = afterAnswer(loop, fail);
  loop = afterAnswer(loop, pass);
  const last = [
    { severity: 'blocker', description: 'Leak!' },
    { severity: 'suggestion', description: 'shorter' },
  ] as const;
  expect(carriedIssues(loop.finished, []).map(({ description }) => description)).toEqual(['leak']);
  expect(carriedIssues(loop.finished, last).map(({ severity }) => severity)).toEqual([
    'blocker',
    'suggestion',
  ]);
});

test('any sequence of answers ends within the budgets', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(pass, fail, again), { minLength: 40, maxLength: 40 }), (answers) => {
      let loop = startReviewLoop(stages);
      let calls = 0;
      for (const answer of answers) {
        if (loop.stage === stages.length) break;
        loop = afterAnswer(loop, answer);
        calls += 1;
      }
      expect(loop.stage).toBe(stages.length);
      expect(calls).toBeLessThanOrEqual(20);
      expect(totalIterations(loop)).toBeLessThanOrEqual(10);
    }),
  );
});

const roles = ['implementation-reviewer', 'code-quality-reviewer', 'security-reviewer'];

/** Plays rounds; each item says who fails in that round. */
function play(max: number, failures: readonly (readonly string[])[]): { log: string[]; last: ImplementStep } {
  let loop: ImplementLoop = startImplementLoop(roles, max);
  const log: string[] = [];
  let step = nextImplementStep(loop, false);
  let fixed = false;
  for (let guard = 0; guard < 40; guard += 1) {
    if (step.kind === 'review') {
      const failing = failures[step.round - 1] ?? [];
      log.push(
        `${step.round}${step.finalValidation ? 'F' : ''}:${step.roles.map((role) => role[0]).join('')}`,
      );
      loop = startRound(loop, step);
      for (const role of step.roles) loop = afterReview(loop, role, failing.includes(role) ? fail : pass);
      fixed = false;
    } else if (step.kind === 'fix') {
      log.push(`fix ${step.issues.map(({ reviewer }) => reviewer[0]).join('')}`);
      fixed = true;
    } else break;
    step = nextImplementStep(loop, fixed);
  }
  return { log, last: step };
}

test('T-123, T-124, T-125, tricky case 10: all pass at once and still a full round follows', () => {
  expect(play(5, [])).toEqual({ log: ['1:ics', '2F:ics'], last: { kind: 'approved', rounds: 2 } });
});

test('T-124, T-127: later rounds call and fix only what failed', () => {
  const { log, last } = play(5, [['security-reviewer', 'code-quality-reviewer'], ['security-reviewer']]);
  expect(log).toEqual(['1:ics', 'fix cs', '2:cs', 'fix s', '3:s', '4F:ics']);
  expect(last).toEqual({ kind: 'approved', rounds: 4 });
});

test('T-126: a regression in the final round starts the fix cycle again', () => {
  const { log, last } = play(6, [[], ['implementation-reviewer']]);
  expect(log).toEqual(['1:ics', '2F:ics', 'fix i', '3:i', '4F:ics']);
  expect(last.kind).toBe('approved');
});

test('lean/C-18: fail then pass still reaches its final round within a cap of three', () => {
  expect(play(3, [['security-reviewer']]).log).toEqual(['1:ics', 'fix s', '2:s', '3F:ics']);
});

test('lean/C-18, T-128: the last round is for everybody; the cap counts rounds sent out', () => {
  const { log, last } = play(3, [['security-reviewer'], ['security-reviewer']]);
  expect(log).toEqual(['1:ics', 'fix s', '2:s', 'fix s', '3F:ics']);
  expect(last).toEqual({ kind: 'approved', rounds: 3 });
});

test('T-129: never approves at the cap; the breaker names what is open', () => {
  const stubborn = [['security-reviewer'], ['security-reviewer'], ['security-reviewer']];
  expect(play(3, stubborn).last).toEqual({
    kind: 'circuit-breaker',
    rounds: 3,
    max: 3,
    failed: ['security-reviewer'],
    open: [{ severity: 'blocker', description: 'leak', reviewer: 'security-reviewer' }],
  });
});

test('T-125, T-128: whatever fails, approval comes only from a full round and never beyond the cap', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.subarray(roles), { maxLength: 8 }),
      (max, failures) => {
        const { log, last } = play(max, failures);
        const rounds = log.filter((line) => !line.startsWith('fix'));
        expect(rounds.length).toBeLessThanOrEqual(max);
        expect(['approved', 'circuit-breaker']).toContain(last.kind);
        if (last.kind === 'approved') expect(rounds.at(-1)).toMatch(/^\dF:ics$/);
      },
    ),
  );
});

const chain = (max = 5) =>
  startReviewLoop(
    ['plan-reviewer', 'task-reviewer', 'phase-reviewer'].map((role) => ({ role, max })),
    true,
  );

test('T-122: one counter over three reviewers; every failure starts again at the first', () => {
  let loop = afterAnswer(afterAnswer(chain(), pass), fail);
  expect(loop).toMatchObject({ iteration: 2, stage: 0, finished: [] });
  for (const _ of loop.stages) loop = afterAnswer(loop, pass);
  expect(loop.stage).toBe(3);
  expect(loop.finished.map(({ approved }) => approved)).toEqual([true, true, true]);
  expect(totalIterations(loop)).toBe(2);
  const stubborn = afterAnswer(afterAnswer(chain(2), fail), fail);
  expect(stubborn).toMatchObject({ stage: 3, finished: [{ approved: false, unresolved: fail.open }] });
});

test('tricky case 10, T-122: a rejection without an issue is asked for once more in the combined loop, then it is a failed round', () => {
  const asked = afterAnswer(chain(), again);
  expect(asked).toMatchObject({ iteration: 1, stage: 0, askedAgain: true });
  expect(afterAnswer(asked, again)).toMatchObject({ iteration: 2, stage: 0, askedAgain: false });
  expect(afterAnswer(asked, pass)).toMatchObject({ iteration: 1, stage: 1, askedAgain: false });
});
