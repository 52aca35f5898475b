import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explicitAssignments } from '../../workflows/build/rules/executor-requests.ts';
import { childCounts, cliExecution, resolveExecutor } from './executor.ts';
import {
  dependantsOf,
  dependencyProblems,
  describeProblem,
  parallelGroups,
  scheduleTasks,
  wavesOf,
} from './schedule.ts';

const task = (id: string, depends_on: string[] = [], ...files: string[]) => ({
  id,
  depends_on,
  files: files.map((path) => ({ path })),
});
const rules = { executorOf: () => 'one', cap: 4, tasksPerBatch: 4 };
const ids = (rounds: ReturnType<typeof scheduleTasks>) =>
  rounds.map(({ batches }) =>
    batches.map(({ id, tasks }) => `${id}:${tasks.map((each) => each.id).join('+')}`),
  );

test('lite/T-02 P-112 P-113 a diamond runs in three waves, a chain in its order, forward references by id', () => {
  const diamond = [task('D', ['B', 'C']), task('B', ['A']), task('C', ['A']), task('A')];
  expect(ids(scheduleTasks(diamond, rules))).toEqual([['S1:A'], ['S2:B+C'], ['S3:D']]);
  expect(ids(scheduleTasks(diamond, { ...rules, tasksPerBatch: 1 }))).toEqual([
    ['S1:A'],
    ['P1:B', 'P2:C'],
    ['S2:D'],
  ]);
  expect(
    wavesOf([task('C', ['B']), task('B', ['A']), task('A')])
      .flat()
      .map(({ id }) => id),
  ).toEqual(['A', 'B', 'C']);
});

test('P-115 two batches that want one file never share a round', () => {
  const rounds = scheduleTasks([task('A', [], 'x.ts'), task('B', [], 'x.ts'), task('C', [], 'y.ts')], {
    ...rules,
    tasksPerBatch: 1,
  });
  expect(ids(rounds)).toEqual([['P1:A', 'P3:C'], ['P2:B']]);
  expect(rounds[0]?.batches[0]?.contested).toEqual(['x.ts']);
});

test('P-111 unknown ids, duplicates and circles are named; the circle is printed', () => {
  const problems = dependencyProblems([task('A', ['C']), task('B', ['A', 'X']), task('C', ['B']), task('C')]);
  expect(problems.map(describeProblem)).toEqual([
    'C occurs twice',
    'B depends on X, which is not a task of this plan',
  ]);
  const circle = dependencyProblems([task('A', ['C']), task('B', ['A']), task('C', ['B']), task('D')]);
  expect(circle.map(describeProblem)).toEqual(['the tasks go in a circle: A → C → B → A']);
  expect(dependencyProblems([task('A', ['A'])]).map(describeProblem)).toEqual([
    'the tasks go in a circle: A → A',
  ]);
});

/** Random graphs without circles, in random list order. */
const plans = fc
  .array(
    fc.record({
      depends: fc.array(fc.nat(30)),
      files: fc.array(fc.nat(6), { maxLength: 3 }),
      executor: fc.nat(2),
    }),
    {
      minLength: 1,
      maxLength: 25,
    },
  )
  .chain((specs) =>
    fc.shuffledSubarray(
      specs.map(({ depends, files, executor }, index) => ({
        id: `T${index}`,
        depends_on: [...new Set(depends.filter((each) => each < index).map((each) => `T${each}`))],
        files: files.map((each) => ({ path: `f${each}` })),
        executor: `e${executor}`,
      })),
      { minLength: specs.length, maxLength: specs.length },
    ),
  );

test('P-110 P-112 P-116 P-117 on random graphs: after what it needs, once or skipped with a reason, under the cap, no file twice', () => {
  fc.assert(
    fc.property(
      plans,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.nat(24)),
      (tasks, cap, tasksPerBatch, broken) => {
        const executors = new Map(tasks.map(({ id, executor }) => [id, executor]));
        const rounds = scheduleTasks(tasks, {
          cap,
          tasksPerBatch,
          executorOf: (id) => executors.get(id) ?? '',
        });
        const start = new Map(
          rounds.flatMap(({ batches }, time) =>
            batches.flatMap((batch) => batch.tasks.map(({ id }) => [id, time] as const)),
          ),
        );
        const run = rounds.flatMap(({ batches }) =>
          batches.flatMap((batch) => batch.tasks.map(({ id }) => id)),
        );
        expect(run.toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
        for (const { id, depends_on } of tasks)
          for (const needed of depends_on)
            expect(start.get(id)).toBeGreaterThan(start.get(needed) ?? Number.POSITIVE_INFINITY);
        for (const { batches } of rounds) {
          expect(batches.length).toBeLessThanOrEqual(cap);
          const files = batches.map(
            (batch) => new Set(batch.tasks.flatMap((each) => each.files.map(({ path }) => path))),
          );
          for (const [at, own] of files.entries())
            for (const other of files.slice(at + 1))
              expect([...own].some((file) => other.has(file))).toBe(false);
          for (const batch of batches) {
            expect(batch.tasks.length).toBeLessThanOrEqual(tasksPerBatch);
            expect(new Set(batch.tasks.map((each) => each.executor)).size).toBe(1);
          }
        }
        const names = rounds.flatMap(({ batches }) => batches.map(({ id }) => id));
        expect(new Set(names).size).toBe(names.length);
        const failed = new Set(broken.map((each) => `T${each}`));
        const lost = dependantsOf(tasks, failed);
        for (const { id, depends_on } of tasks) {
          const needsLost = depends_on.some((each) => failed.has(each) || lost.has(each));
          expect(lost.has(id)).toBe(needsLost && !failed.has(id));
          if (lost.has(id)) expect(depends_on).toContain(lost.get(id));
        }
      },
    ),
  );
});

test('P-111 on random graphs with circles: a circle is found exactly when no order exists, and it is one', () => {
  const any = fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 10 }).map((lists) =>
    lists.map((depends, index) => ({
      id: `T${index}`,
      depends_on: depends.filter((each) => each < lists.length).map((each) => `T${each}`),
    })),
  );
  fc.assert(
    fc.property(any, (tasks) => {
      const cycle = dependencyProblems(tasks).find((problem) => problem.kind === 'cycle')?.cycle;
      if (cycle === undefined) return void expect(wavesOf(tasks).flat()).toHaveLength(tasks.length);
      expect(() => wavesOf(tasks)).toThrow();
      expect(cycle[0]).toBe(cycle.at(-1));
      for (const [at, id] of cycle.slice(0, -1).entries())
        expect(tasks.find((each) => each.id === id)?.depends_on).toContain(cycle[at + 1]);
    }),
  );
});

const choice = {
  assignments: {},
  method: 'auto',
  complexity: 'Medium',
  writers: ['claude', 'codex', 'gemini'],
} as const;

test.each([
  ['auto', 'Low', undefined, 'claude'],
  ['auto', 'Medium', undefined, 'codex'],
  ['auto', undefined, undefined, 'codex'],
  ['Agent', 'High', undefined, 'claude'],
  ['Codex', 'Low', undefined, 'codex'],
  ['Agent', 'High', 'gemini', 'gemini'],
  ['Codex', 'Low', 'mine', 'mine'],
  ['auto', 'Low', 'codex', 'codex'],
] as const)(
  'lite/T-05 P-105 P-114 P-120 method %s, %s, assigned %s: %s',
  (method, complexity, assigned, executor) => {
    const assignments: Record<string, { executor: string; reason: string }> =
      assigned === undefined ? {} : { 'TASK-001': { executor: assigned, reason: 'asked' } };
    expect(resolveExecutor('TASK-001', { ...choice, method, complexity, assignments })).toBe(executor);
    expect(resolveExecutor('TASK-002', { ...choice, method: 'agent', complexity, assignments })).toBe(
      'claude',
    );
  },
);

const named = ['claude', 'codex', 'mine', 'other'];
const three = ['TASK-001', 'TASK-002', 'TASK-003'].map((id) => ({ id }));

test('P-071 P-072: only an explicit request makes an assignment', () => {
  expect(explicitAssignments(['codex implements TASK-002. The rest as you like.'], three, named)).toEqual({
    'TASK-002': { executor: 'codex', reason: 'codex implements TASK-002' },
  });
  expect(explicitAssignments(['add limits'], three, named)).toEqual({});
});

test.each([
  ['use mine for TASK-001 and other for TASK-002', ['mine', 'other', undefined]],
  ['Use mine for TASK-001, TASK-002 and TASK-003', ['mine', 'mine', 'mine']],
  ['use mine for task-001 and TASK-002, and other for TASK-003', ['mine', 'mine', 'other']],
  ['TASK-001 and TASK-002 by mine, TASK-003 by other', ['mine', 'mine', 'other']],
  ['TASK-001 by mine and TASK-002, TASK-003 by other', ['mine', 'other', 'other']],
  ['TASK-001 goes to mine, TASK-002 too', ['mine', 'mine', undefined]],
  ['TASK-001 by mine with TASK-002 by other', ['mine', 'other', undefined]],
  ['mine for TASK-001 with other for TASK-002 and TASK-003', ['mine', 'other', 'other']],
  ['other does TASK-003, TASK-001 goes to mine', ['mine', undefined, 'other']],
  ['mine writes src/a.ts in TASK-001. other does TASK-002; codex TASK-003', ['mine', 'other', 'codex']],
  ['never let other touch TASK-001', [undefined, undefined, undefined]],
  ['Never let other touch TASK-001 and TASK-002', [undefined, undefined, undefined]],
  ["don't use other for TASK-001, use mine for TASK-002", [undefined, 'mine', undefined]],
  ['TASK-001 without codex', [undefined, undefined, undefined]],
  ['TASK-001 and TASK-002 not by other', [undefined, undefined, undefined]],
  ['use mine, not other, for TASK-001', ['mine', undefined, undefined]],
  ['nobody but mine does TASK-001', ['mine', undefined, undefined]],
  ['mine-two does TASK-001', [undefined, undefined, undefined]],
  ['mine does TASK-0012', [undefined, undefined, undefined]],
])('P-071 C-07 "%s"', (request, executors) => {
  const found = explicitAssignments([request], three, named);
  expect(three.map(({ id }) => found[id]?.executor)).toEqual(executors);
});

const limits = [
  'without touching src/a.ts',
  'without any new dependency',
  'with no change to the API',
  'not touching src/a.ts',
];
const plainRequests = [
  'codex does TASK-002',
  'Please let codex do TASK-002',
  'use codex for TASK-002',
  'codex should implement task-002',
  'TASK-002 goes to codex',
  'TASK-002 is to be done by Codex',
];
test.each(limits.flatMap((end) => plainRequests.map((request) => `${request} ${end}`)))(
  'P-071 "%s" is a request that says how, not a refusal',
  (request) => {
    const executorsOf = (...requests: string[]) =>
      Object.entries(explicitAssignments(requests, three, named)).map(([id, { executor }]) => [id, executor]);
    expect(executorsOf(request)).toEqual([['TASK-002', 'codex']]);
    expect(executorsOf('codex does TASK-002', request)).toEqual([['TASK-002', 'codex']]);
    expect(executorsOf(`${request}, mine does TASK-003`)).toEqual([
      ['TASK-002', 'codex'],
      ['TASK-003', 'mine'],
    ]);
    expect(executorsOf(`${request} and TASK-003`), 'what follows may be part of the limit').toEqual([
      ['TASK-002', 'codex'],
    ]);
  },
);

test.each(
  limits.flatMap((end) => [`TASK-001 and TASK-002 go to codex ${end}`, `TASK-001, TASK-002 by codex ${end}`]),
)('P-071 "%s" forgot the first of the two tasks', (request) => {
  const found = explicitAssignments([request], three, named);
  expect(three.map(({ id }) => found[id]?.executor)).toEqual(['codex', 'codex', undefined]);
});

const refusals = [
  'codex must not do TASK-002',
  'do not let codex do TASK-002',
  "codex can't do TASK-002",
  'never use codex for TASK-002',
  'no codex for TASK-002',
  'TASK-002 is not to be done by codex',
  'everyone except codex does TASK-002',
  'anyone but codex does TASK-002',
  'let everybody but codex do TASK-002',
  'TASK-002 without codex',
  'do TASK-002 without using codex',
  'do TASK-002 with no help of codex',
];
test.each([
  ...refusals,
  ...limits.flatMap((end) => refusals.map((refusal) => `${refusal} ${end}`)),
  // Words that a plain request does not have may reverse it.
  ...[
    'avoid that codex does TASK-002',
    'I doubt codex does TASK-002',
    'codex is unable to do TASK-002',
    'nobody wants codex to do TASK-002',
    'stop when codex does TASK-002',
    'codex broke TASK-002',
  ].flatMap((request) => limits.map((end) => `${request} ${end}`)),
  // The end names an agent, or something else that is done.
  'codex does TASK-002 without claude',
  'codex does TASK-002 without touching TASK-001',
  'codex without TASK-002',
])('P-071 "%s" assigns no agent', (request) => {
  expect(explicitAssignments([request], three, named)).toEqual({});
});

test('P-071 P-082: a later request wins, and a refusal cancels an earlier one', () => {
  const requests = ['mine does TASK-001 and TASK-002', 'other does TASK-002'];
  expect(explicitAssignments(requests, three, named)).toMatchObject({
    'TASK-001': { executor: 'mine' },
    'TASK-002': { executor: 'other', reason: 'other does TASK-002' },
  });
  expect(
    explicitAssignments([...requests, 'not mine for TASK-001, not mine for TASK-002'], three, named),
  ).toEqual({
    'TASK-002': { executor: 'other', reason: 'other does TASK-002' },
  });
});

test('P-070 P-121: a task resumes an unshared conversation and forks a shared one', () => {
  const tasks = [task('A'), task('B', ['A']), task('C', ['B']), task('D', ['B']), task('E', ['C', 'D'])];
  expect(tasks.map((each) => cliExecution('s', each, childCounts(tasks)))).toEqual([
    { id: 's-A', strategy: 'new' },
    { id: 's-B', strategy: 'resume', resume_from: 's-A' },
    { id: 's-C', strategy: 'fork', resume_from: 's-B' },
    { id: 's-D', strategy: 'fork', resume_from: 's-B' },
    { id: 's-E', strategy: 'merge_fork', merge_from: ['s-C', 's-D'] },
  ]);
});

const dependencies: Readonly<Record<string, readonly string[]>> = { 1: [], 2: [], 3: ['1'], 5: [] };

test('T-134: only tasks that name their dependencies run in parallel, never more than allowed', () => {
  const tasks = ['1', '2', '3', '4', '5'].map((number) => ({ number }));
  const groups = (max: number) =>
    parallelGroups(tasks, max, ({ number }) => dependencies[number]).map((group) =>
      group.map(({ number }) => number),
    );
  expect(groups(1)).toEqual([['1'], ['2'], ['3'], ['4'], ['5']]);
  expect(groups(2)).toEqual([['1', '2'], ['3'], ['4', '5']]);
  expect(groups(9)).toEqual([['1', '2'], ['3'], ['4', '5']]);
});

test('every task is in exactly one group, in order, and never next to a task that it needs', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat(8), { maxLength: 3 }), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: 4 }),
      (needs, max) => {
        const tasks = needs.map((list, index) => ({ number: String(index), needs: list.map(String) }));
        const groups = parallelGroups(tasks, max, (each) => each.needs);
        expect(groups.flat()).toEqual(tasks);
        for (const group of groups) {
          expect(group.length).toBeLessThanOrEqual(max);
          const before = new Set<string>();
          for (const each of group) {
            for (const other of each.needs) expect(before.has(other)).toBe(false);
            before.add(each.number);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
