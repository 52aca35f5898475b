import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CodeReview } from '../../../base/schema/judgements/lite.ts';
import { handoffToken } from '../../../plan/tasks/handoff-spec.ts';
import { breakCycles, dependencyProblems } from '../../../plan/tasks/schedule.ts';
import { followUps } from './reports.ts';
import { convergenceOf, criteriaStates, mergeReviews } from './verdict.ts';

const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((count) =>
    fc.array(fc.array(fc.nat(count - 1), { maxLength: 4 }), { minLength: count, maxLength: count }),
  )
  .map((graph) =>
    graph.map((needs, index) => ({
      id: `T${index}`,
      depends_on: [...new Set(needs)].map((need) => `T${need}`),
    })),
  );

test('P-111 --force-cycles: what comes out has an order, loses only edges, and a plan without circles loses none', () => {
  fc.assert(
    fc.property(graphs, (tasks) => {
      const { tasks: after, dropped } = breakCycles(tasks);
      expect(dependencyProblems(after)).toEqual([]);
      expect(after.map(({ id }) => id)).toEqual(tasks.map(({ id }) => id));
      const edges = (list: typeof tasks) =>
        list.flatMap(({ id, depends_on }) => depends_on.map((need) => `${id} ${need}`));
      expect([...edges(after), ...dropped.map(({ id, dependency }) => `${id} ${dependency}`)].sort()).toEqual(
        edges(tasks).sort(),
      );
      if (dependencyProblems(tasks).length === 0) expect(dropped).toEqual([]);
    }),
  );
  const circle = [
    { id: 'A', depends_on: ['C'] },
    { id: 'B', depends_on: ['A'] },
    { id: 'C', depends_on: ['B'] },
  ];
  expect(breakCycles(circle).dropped).toEqual([{ id: 'A', dependency: 'C' }]);
});

const review = (
  met: boolean,
  evidence: string | null,
  findings: CodeReview['findings'] = [],
): CodeReview => ({
  summary: 'Seen.',
  findings,
  criteria: [{ task_id: 'TASK-001', number: 1, met, evidence }],
});
const finding = (severity: 'High' | 'Low', description: string) => ({
  severity,
  file: 'src/a.ts',
  line: 3,
  description,
  fix: 'Fix it.',
});

test('P-150 P-155 a panel: more than half with evidence make a criterion met, one finding per place, the gravest severity', () => {
  const voices = (...reviews: CodeReview[]) =>
    mergeReviews(reviews.map((each, index) => ({ reviewer: `r${index + 1}`, review: each })));
  expect(voices()).toBeUndefined();
  expect(voices(review(true, 'a:1'))).toEqual(review(true, 'a:1'));
  const two = voices(
    review(true, 'a:1', [finding('Low', 'Slow.')]),
    review(true, 'a:2', [finding('High', 'Wrong.')]),
    review(false, null),
  );
  expect(two?.criteria).toEqual([
    { task_id: 'TASK-001', number: 1, met: true, evidence: 'r1: a:1; r2: a:2' },
  ]);
  expect(two?.findings).toEqual([{ ...finding('High', 'Wrong. / Slow. (r1, r2)') }]);
  // Half is not more than half, and a yes without evidence is none.
  expect(voices(review(true, 'a:1'), review(false, 'b:1'))?.criteria[0]).toMatchObject({
    met: false,
    evidence: 'r2: b:1',
  });
  expect(voices(review(true, 'a:1'), review(true, null))?.criteria[0]).toMatchObject({ met: false });
  const tasks = [
    { id: 'TASK-001', title: 't', description: 'd', depends_on: [], convergence: { criteria: ['c'] } },
  ];
  const states = criteriaStates(tasks, voices(review(true, 'a:1'), review(true, null)));
  expect(convergenceOf(states, 'PASS', true)).toBe('FAIL');
});

test('P-157 follow-ups come from what is left, one issue per dimension, and none when nothing is', () => {
  const done = {
    task: 'Add limits',
    run: 'r1',
    tests: 'PASS' as const,
    states: [],
    review: undefined,
    undone: [],
    notes: [],
    changedFiles: ['src/a.ts', 'docs/a.md'],
  };
  expect(followUps(done)).toEqual([]);
  const state = {
    task: 'TASK-001',
    title: 't',
    criterion: 'It is there',
    state: 'unverified' as const,
    evidence: '',
  };
  const left = followUps({
    ...done,
    tests: 'UNKNOWN',
    states: [state, { ...state, criterion: 'Seen', state: 'met' }],
    review: review(true, 'x', [finding('Low', 'Slow\nhere.')]),
    undone: ['TASK-002 failed'],
    changedFiles: ['src/a.ts'],
  });
  expect(left.map(({ dimension, title }) => [dimension, title])).toEqual([
    ['test', 'Verify: Add limits'],
    ['enhance', 'Finish: Add limits'],
    ['refactor', 'Tidy up: Add limits'],
    ['doc', 'Document: Add limits'],
  ]);
  expect(left[0]?.body).toContain('- [ ] TASK-001: It is there (not verified)');
  expect(left[0]?.body).not.toContain('Seen');
  expect(left[2]?.body).toContain('- [ ] Low src/a.ts:3: Slow here. Fix: Fix it.');
});

test('P-091 a handoff token covers the run and every byte of its files, in order', () => {
  const token = handoffToken('run', ['a', 'b']);
  expect(handoffToken('run', ['a', 'b'])).toBe(token);
  for (const [run, texts] of [
    ['other', ['a', 'b']],
    ['run', ['a', 'b ']],
    ['run', ['b', 'a']],
    ['run', ['ab']],
    ['run', ['a\nb']],
  ] as const)
    expect(handoffToken(run, texts)).not.toBe(token);
});
