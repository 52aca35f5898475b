import { expect, test } from 'vitest';
import { readJudgement } from '../../base/schema/judgements.ts';
import { litePlanSchema, liteTaskSchema } from '../../base/schema/lite/plan.ts';
import { executionContextSchema } from '../../base/schema/lite/session-files.ts';
import { todoProblems } from '../../skills/compaction/compaction.ts';
import { todoOf } from '../../workflows/build/rules/todo.ts';
import {
  codeVerdict,
  convergenceOf,
  criteriaStates,
  fixesNeeded,
} from '../../workflows/build/rules/verdict.ts';
import { detectTestCommand } from '../../workflows/build/run-tests.ts';
import { filesFromDesign } from './design-tasks.ts';
import { directPlan, filesFromAnswer } from './plan-files.ts';
import { checkQuality, looksLikeFile, readPlanFiles, recognisePlan } from './read-plan.ts';
import { renderTask } from './task-text.ts';

const facts = {
  session: 's',
  timestamp: '2026-11-15T00:00:00Z',
  complexity: 'Medium',
  angles: ['patterns'],
  baseCommit: 'abc',
} as const;
const planned = (id: string, depends_on: string[] = []) => ({
  id,
  title: `Do ${id}`,
  description: 'It.',
  action: 'Add' as const,
  scope: 'src',
  depends_on,
  files: [{ path: 'src/a.ts', action: 'modify' as const, change: 'Add it.' }],
  implementation: ['First.', 'Then.'],
  criteria: ['`npm test` exits with 0'],
  rationale: 'Least change.',
  tests: ['one case'],
  commands: ['npm test'],
  risks: [],
  skeleton: [],
});
const answer = {
  summary: 'Limits',
  approach: 'A counter.',
  estimated_time: '1 hour',
  tasks: [planned('TASK-001'), planned('TASK-002', ['TASK-001'])],
  design_decisions: [{ decision: 'memory', rationale: 'small', tradeoff: null }],
  data_flow: null,
};

test('P-061 P-062 P-063 an answer becomes plan.json without tasks in it, and one file per task', () => {
  const { plan, tasks } = filesFromAnswer(answer, facts);
  expect(litePlanSchema.safeParse(plan).success).toBe(true);
  expect(plan).toMatchObject({
    task_ids: ['TASK-001', 'TASK-002'],
    task_count: 2,
    _metadata: { quality_check: { result: 'PASS' }, base_commit: 'abc' },
  });
  expect(plan).not.toHaveProperty('tasks');
  for (const task of tasks) expect(liteTaskSchema.safeParse(task).success).toBe(true);
  const read = readPlanFiles(
    JSON.stringify(plan),
    tasks.toReversed().map((task) => ({ file: task.id, text: JSON.stringify(task) })),
  );
  expect(read.files).toEqual({ plan, tasks });
});

test.each(['acceptance', 'modification_points', 'verification'])(
  'P-063 the former name %s is refused with the present one',
  (name) => {
    const { tasks } = filesFromAnswer(answer, facts);
    const reading = liteTaskSchema.safeParse({ ...tasks[0], [name]: ['x'] });
    expect(reading.error?.issues[0]?.message).toMatch(/^use /);
    expect(liteTaskSchema.safeParse({ ...tasks[0], test: 'run it' }).success).toBe(false);
  },
);

test('P-064 P-068 P-069 quality: vague criteria, circles and missing files are critical, missing detail is minor', () => {
  const { plan, tasks } = filesFromAnswer(answer, facts);
  const first = tasks[0];
  if (first === undefined) throw new Error('no task');
  const vague = { ...first, convergence: { criteria: ['works correctly'] } };
  expect(checkQuality({ ...plan, task_ids: ['TASK-001'], task_count: 1 }, [vague])).toMatchObject({
    result: 'REGENERATE',
    critical: ['TASK-001: "works correctly" cannot be checked'],
  });
  expect(checkQuality(plan, [first]).critical).toEqual(['TASK-002 has no task file']);
  expect(checkQuality({ ...plan, complexity: 'High' }, tasks)).toMatchObject({
    result: 'AUTO_FIX',
    critical: [],
    minor: expect.arrayContaining(['TASK-001: no risks', 'TASK-001: no code_skeleton', 'no data_flow']),
  });
  expect(
    checkQuality({ ...plan, task_ids: ['TASK-001'], task_count: 1 }, [{ ...first, implementation: ['one'] }])
      .minor,
  ).toEqual(['TASK-001: fewer than two steps']);
});

test('P-062 P-068 a task id that is listed twice and a path that leads out of the repository are critical', () => {
  const { plan, tasks } = filesFromAnswer(answer, facts);
  const twice = { ...plan, task_ids: ['TASK-001', 'TASK-002', 'TASK-001'], task_count: 3 };
  expect(checkQuality(twice, tasks).critical).toEqual(['TASK-001 is in task_ids twice']);
  const first = tasks[0];
  if (first === undefined) throw new Error('no task');
  for (const path of ['../../../etc/passwd', '/etc/hosts', 'src/../../x', 'C:\\x', '..\\x', './../x'])
    expect(
      checkQuality({ ...plan, task_ids: ['TASK-001'], task_count: 1 }, [{ ...first, files: [{ path }] }])
        .critical,
    ).toEqual([`TASK-001: ${path} leads out of the repository`]);
});

test('P-062: sorts unlisted tasks after all listed ones', () => {
  const { plan, tasks } = filesFromAnswer(answer, facts);
  const [first] = tasks;
  if (first === undefined) throw new Error('no task');
  const ids = ['TASK', 'FIX'].flatMap((word) =>
    Array.from({ length: 600 }, (_, index) => `${word}-${String(index + 1).padStart(3, '0')}`),
  );
  const texts = ['FIX-999', ...ids].map((id) => ({
    file: `${id}.json`,
    text: JSON.stringify({ ...first, id, depends_on: [] }),
  }));
  const { files } = readPlanFiles(JSON.stringify({ ...plan, task_ids: ids, task_count: ids.length }), texts);
  expect(files.tasks.map(({ id }) => id)).toEqual([...ids, 'FIX-999']);
});

test.each([
  ['./src/a.ts', 'src/a.ts'],
  ['././src/./a.ts', 'src/a.ts'],
  ['src//lib/././a.ts', 'src/lib/a.ts'],
  ['.github/a.yml', '.github/a.yml'],
  ['src/.a/b', 'src/.a/b'],
  ['//etc/hosts', '/etc/hosts'],
])('P-062 the path %s of a task file is read as %s', (written, path) => {
  const { plan, tasks } = filesFromAnswer(answer, facts);
  const texts = tasks.map((task) => ({
    file: task.id,
    text: JSON.stringify({ ...task, files: [{ path: written, action: 'modify' }] }),
  }));
  const { files } = readPlanFiles(JSON.stringify(plan), texts);
  expect(files.tasks.map((task) => task.files)).toEqual(Array(2).fill([{ path, action: 'modify' }]));
});

test('P-044 P-073: a direct plan passes the same checks and marks that it replaces an agent', () => {
  const { plan, tasks } = directPlan(
    'Fix the typo',
    [
      {
        relevant_files: [
          {
            path: 'README.md',
            relevance: 90,
            rationale: 'named in the task',
            role: 'modify_target',
            key_symbols: [],
          },
        ],
      },
    ],
    { ...facts, complexity: 'Low' },
    true,
  );
  expect(plan._metadata).toMatchObject({
    planning_mode: 'direct',
    degraded: true,
    quality_check: { result: 'PASS' },
  });
  expect(tasks[0]?.files).toEqual([{ path: 'README.md', action: 'modify', change: 'Fix the typo' }]);
});

const design = {
  title: 'Limits',
  summary: 'S',
  approach: 'A',
  testing: 'T',
  edgeCases: ['zero'],
  failureModes: [],
  symbols: [{ name: 'limit', file: 'src/a/x.ts', state: 'new' as const }],
  decisions: [],
  files: [
    { path: 'src/a/x.ts', action: 'new' as const, description: 'X' },
    { path: 'src/a/y.ts', action: 'modify' as const, description: 'Y' },
    { path: 'src/b/z.ts', action: 'delete' as const, description: 'Z' },
    { path: 'README.md', action: 'modify' as const, description: 'Say so' },
    { path: 'test/x.test.ts', action: 'new' as const, description: 'cases' },
  ],
  tests: [{ path: 'test/x.test.ts', description: 'cases' }],
  commands: [{ command: 'npm test', purpose: 'tests' }],
};

test('P-065 the plan of a small design becomes one task of code, then tests, then documents', () => {
  const { plan, tasks } = filesFromDesign(design, facts);
  expect(tasks.map(({ id, title, depends_on }) => [id, title, depends_on])).toEqual([
    ['TASK-001', 'Limits', []],
    ['TASK-002', 'Test it in test/x.test.ts', ['TASK-001']],
    ['TASK-003', 'Describe it in README.md', ['TASK-001']],
  ]);
  expect(tasks[0]?.convergence.criteria).toEqual([
    'src/a/x.ts exists with this: X',
    'src/a/y.ts has this change: Y',
    'src/b/z.ts is gone',
    'src/a/x.ts defines `limit`',
  ]);
  expect(tasks[1]?.convergence.criteria).toContain('`npm test` exits with 0');
  expect(plan._metadata.quality_check?.critical).toEqual([]);
  for (const task of tasks) expect(liteTaskSchema.safeParse(task).error).toBeUndefined();
});

test('P-065 the plan of a large design is cut by folder, what makes files first; only tests or only documents are tasks too', () => {
  const make = (path: string, action: 'new' | 'modify') => ({ path, action, description: path });
  const files = [
    make('src/api/a.ts', 'modify'),
    make('src/api/b.ts', 'modify'),
    make('src/store/c.ts', 'new'),
    make('src/store/d.ts', 'new'),
    make('src/one/e.ts', 'modify'),
    make('src/two/f.ts', 'modify'),
    make('lib/g.ts', 'modify'),
  ];
  const large = filesFromDesign({ ...design, files, tests: [], symbols: [] }, facts);
  expect(large.tasks[0]?.title).toBe('Add src/store/c.ts and src/store/d.ts');
  expect(
    large.tasks.map(({ files: own = [], depends_on }) => [own.map(({ path }) => path), depends_on]),
  ).toEqual([
    [['src/store/c.ts', 'src/store/d.ts'], []],
    [['src/api/a.ts', 'src/api/b.ts'], ['TASK-001']],
    [['src/one/e.ts', 'src/two/f.ts'], ['TASK-001']],
    [['lib/g.ts'], ['TASK-001']],
  ]);
  const onlyTests = filesFromDesign({ ...design, files: [make('test/x.test.ts', 'new')] }, facts);
  expect(onlyTests.tasks.map(({ id, depends_on }) => [id, depends_on])).toEqual([['TASK-001', []]]);
  const onlyWords = filesFromDesign({ ...design, files: [make('README.md', 'modify')], tests: [] }, facts);
  expect(onlyWords.tasks.map(({ title }) => title)).toEqual(['Limits']);
});

test('lite/T-06 P-101 P-103 P-104 prose is a prompt, one word with an ending a file, a plan has its three keys', () => {
  expect(looksLikeFile('Update README.md')).toBe(false);
  expect(looksLikeFile('plans/plan.json')).toBe(true);
  expect(['plans/nope', './p/', 'task.md'].map(looksLikeFile)).toEqual([true, true, true]);
  expect(['lint', 'read/write the log', 'fix src/a.json'].map(looksLikeFile)).toEqual([false, false, false]);
  expect(recognisePlan('{"summary":"a","approach":"b","task_ids":[]}')).toEqual({ kind: 'plan' });
  expect(recognisePlan('{"summary":"a","approach":"b"}')).toEqual({
    kind: 'partial',
    flaw: 'it has no task_ids',
  });
  expect(recognisePlan('{"tasks":[]}')).toMatchObject({ kind: 'embedded' });
  expect(recognisePlan('{"other":1}')).toEqual({
    kind: 'text',
    flaw: 'it has no summary, approach, task_ids',
  });
  expect(recognisePlan('[1]')).toEqual({ kind: 'text', flaw: 'it is not a JSON object' });
  expect(recognisePlan('# Text')).toMatchObject({
    kind: 'text',
    flaw: expect.stringContaining('not valid JSON'),
  });
});

test('P-092 a plan without a single task file fails aloud', () => {
  const { plan } = filesFromAnswer(answer, facts);
  expect(() => readPlanFiles(JSON.stringify(plan), [])).toThrow(/no task file/);
  expect(() => readPlanFiles('{"summary":1}', [])).toThrow(/plan\.json summary/);
});

test('P-130 P-131 P-132 a task prints what it has, whatever shape its steps are in', () => {
  const [first] = filesFromAnswer(answer, facts).tasks;
  if (first === undefined) throw new Error('no task');
  const text = renderTask({
    ...first,
    scope: ['a', 'b'],
    implementation: ['one', { step: 2, description: 'two', tdd_phase: 'red', actions: ['x', 'y'] }],
  });
  expect(text).toContain('Add in a, b');
  expect(text).toContain('- 2: two (red): x; y');
  expect(text).toContain('- [ ] `npm test` exits with 0');
  expect(
    renderTask({
      id: 'TASK-001',
      title: 'T',
      description: 'D',
      depends_on: [],
      convergence: { criteria: ['c'] },
    }),
  ).toBe('### TASK-001: T\nD\nDone when:\n- [ ] c');
  expect(text).not.toMatch(/undefined|\[object/);
});

const { tasks } = filesFromAnswer(answer, facts);
const said = (task_id: string, met: boolean, evidence: string | null = 'src/a.ts:1') => ({
  task_id,
  number: 1,
  met,
  evidence,
});
const review = (...criteria: ReturnType<typeof said>[]) => ({ summary: 's', findings: [], criteria });

test('P-150 P-155 the verdict: all met PASS, some PARTIAL, none FAIL; no review is not a pass', () => {
  const verdict = (
    given: ReturnType<typeof review> | undefined,
    outcome: 'PASS' | 'FAIL' | 'UNKNOWN' = 'PASS',
  ) => convergenceOf(criteriaStates(tasks, given), outcome, given !== undefined);
  expect(verdict(review(said('TASK-001', true), said('TASK-002', true)))).toBe('PASS');
  expect(verdict(review(said('TASK-001', true), said('TASK-002', false)))).toBe('PARTIAL');
  expect(verdict(review(said('TASK-001', true)))).toBe('PARTIAL');
  expect(verdict(review(said('TASK-001', true, null), said('TASK-002', true)))).toBe('PARTIAL');
  expect(verdict(review(said('TASK-001', false), said('TASK-002', false)))).toBe('FAIL');
  expect(verdict(undefined)).toBe('NOT VERIFIED');
  expect(verdict(review(said('TASK-001', true), said('TASK-002', true)), 'FAIL')).toBe('FAIL');
});

test('P-152 findings decide on the code, and what has to be fixed is listed', () => {
  const finding = { file: 'a.ts', line: 1, description: 'd', fix: 'f' };
  expect(codeVerdict({ findings: [] })).toBe('PASS');
  expect(codeVerdict({ findings: [{ ...finding, severity: 'Medium' }] })).toBe('WARN');
  expect(codeVerdict({ findings: [{ ...finding, severity: 'High' }] })).toBe('FAIL');
  expect(codeVerdict({ findings: [{ ...finding, severity: 'High' }] }, false)).toBe('FAIL');
  expect(codeVerdict({ findings: [] }, false)).toBe('NOT VERIFIED');
  const given = {
    ...review(said('TASK-001', false)),
    findings: [{ ...finding, severity: 'Critical' as const }],
  };
  expect(fixesNeeded(criteriaStates(tasks, given), given, { outcome: 'FAIL', output: 'boom' })).toHaveLength(
    3,
  );
  expect(fixesNeeded(criteriaStates(tasks, undefined), undefined, { outcome: 'PASS', output: '' })).toEqual(
    [],
  );
});

test('P-155 the test command of a repository', () => {
  const files = (given: Record<string, string>) => detectTestCommand((name) => given[name])?.argv;
  expect(files({ 'package.json': '{"scripts":{"test":"vitest"}}' })).toEqual(['npm', 'test', '--silent']);
  expect(
    files({
      'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1","test:unit":"x"}}',
    }),
  ).toEqual(['npm', 'run', '--silent', 'test:unit']);
  expect(files({ 'go.mod': 'module x' })).toEqual(['go', 'test', './...']);
  expect(files({ 'package.json': 'oops' })).toBeUndefined();
});

test('lite/T-03 P-140 P-141 P-142 P-161 the list keeps its phases at every stage, also while batches run', () => {
  const batch = {
    id: 'P1',
    executor: 'one',
    concurrent: true,
    tasks: ['TASK-001'],
    status: 'in_progress' as const,
    attempts: 1,
    cliId: 's-P1',
  };
  for (const at of ['LP-1', 'LP-2', 'LP-3', 'LP-4', 'LP-5', 'LE', 'done'] as const) {
    const batches = at === 'LE' ? [batch, { ...batch, id: 'P2' }] : [];
    const list = todoOf({ session: 's', mode: 'plan', at, batches }, 1, 'now');
    expect(todoProblems(list)).toEqual([]);
    expect(
      list.items.filter(({ kind, status }) => kind === 'phase' && status === 'in_progress'),
    ).toHaveLength(at === 'done' ? 0 : 1);
  }
  expect(
    todoOf({ session: 's', mode: 'execute', at: 'LE', batches: [batch] }, 1, 'now').items.map(
      ({ id, content }) => [id, content],
    ),
  ).toEqual([
    ['lite-execute', 'Execute'],
    ['LE-1', '⚡ [P1] one: TASK-001'],
  ]);
});

test('P-093 task files of a handoff may be listed as paths or as records', () => {
  const { plan } = filesFromAnswer(answer, facts);
  const context = {
    schemaVersion: 1,
    planObject: plan,
    explorationAngles: null,
    clarificationContext: null,
    executionMethod: 'auto',
    codeReviewTool: 'skip',
    originalUserInput: 'x',
    executorAssignments: null,
    session: { id: 's', folder: 'f' },
    handoff: { token: 't' },
  };
  for (const taskFiles of [['.task/TASK-001.json'], [{ id: 'TASK-001', path: '.task/TASK-001.json' }]])
    expect(executionContextSchema.safeParse({ ...context, taskFiles }).success).toBe(true);
  expect(executionContextSchema.safeParse({ ...context, taskFiles: [] }).success).toBe(false);
});

test('P-046 an exploration without files or with an unknown role is refused', () => {
  const file = { path: 'a.ts', relevance: 90, rationale: 'named in the task', role: 'modify_target' };
  const texts = {
    project_structure: 's',
    patterns: 'p',
    dependencies: 'd',
    integration_points: 'a.ts:1',
    constraints: 'c',
  };
  expect(readJudgement('exploration', { ...texts, relevant_files: [file] }).ok).toBe(true);
  expect(readJudgement('exploration', { ...texts, relevant_files: [] }).ok).toBe(false);
  expect(readJudgement('exploration', { ...texts, relevant_files: [{ ...file, role: 'hero' }] }).ok).toBe(
    false,
  );
});
