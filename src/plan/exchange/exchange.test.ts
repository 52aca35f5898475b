import fc from 'fast-check';
import { expect, test } from 'vitest';
import { liteTaskSchema, taskActions } from '../../base/schema/lite/plan.ts';
import type { LitePlanFiles } from '../tasks/plan-files.ts';
import { checkQuality } from '../tasks/read-plan.ts';
import { readEmbeddedPlan } from './embedded-plan.ts';
import { issueBody } from './issue-writer.ts';
import { readOpenSpec } from './openspec-reader.ts';
import { writeOpenSpec } from './openspec-writer.ts';
import { draftOf, type ExchangeFile, filesFromDraft, type Outline, outlineOf } from './outline.ts';
import { readSpecKit } from './spec-kit-reader.ts';
import { writeSpecKit } from './spec-kit-writer.ts';

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 10, unit: 'grapheme' }),
  fc.constantFrom(
    '[P]',
    '[US1]',
    '(depends on T001)',
    '## Approach',
    '**Summary**',
    '- [ ] T009',
    '> quoted',
    'Done when: x',
    'Step: y',
    'Depends on: 3',
    'in src/a.ts',
    '`code`',
    '```',
    '# Tasks: other',
    '1. one',
    '\\[',
    '@ann',
    '</details>',
  ),
);
const line = fc
  .array(word, { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' ').replace(/\s+/g, ' ').trim() || 'x');
const text = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n').trim());
const file = fc.record(
  {
    path: fc.constantFrom('src/a.ts', 'src/b c.ts', 'lib/ü.py', 'x'),
    action: fc.constantFrom('modify' as const, 'create' as const, 'delete' as const),
    change: line,
  },
  { requiredKeys: ['path'] },
);
const someLines = fc.array(line, { maxLength: 3 });

const outlines: fc.Arbitrary<Outline> = fc
  .record({
    title: line.filter((title) => !/[\\"]/.test(title)),
    summary: text,
    approach: text,
    decisions: fc.array(fc.record({ decision: line, rationale: line }), { maxLength: 2 }),
    edgeCases: someLines,
    tasks: fc.array(
      fc.record(
        {
          title: line,
          description: text,
          action: fc.constantFrom(...taskActions),
          files: fc.uniqueArray(file, { maxLength: 3, selector: ({ path }) => path }),
          steps: fc.array(line, { minLength: 1, maxLength: 3 }),
          criteria: fc.uniqueArray(line, { minLength: 1, maxLength: 3 }),
          tests: someLines,
          commands: someLines,
          risks: fc.array(fc.record({ description: line, mitigation: line }), { maxLength: 2 }),
          why: line,
          excludes: someLines,
          needs: fc.array(fc.nat(20), { maxLength: 3 }),
        },
        {
          requiredKeys: [
            'title',
            'description',
            'files',
            'steps',
            'criteria',
            'tests',
            'commands',
            'risks',
            'excludes',
            'needs',
          ],
        },
      ),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ tasks, ...outline }) => ({
    ...outline,
    date: '2026-11-16',
    tasks: tasks.map(({ needs, ...task }, index) => ({
      ...task,
      number: index + 1,
      dependsOn: [...new Set(needs.filter((need) => need < index).map((need) => need + 1))].sort(),
    })),
  }));

const textOf = (files: readonly ExchangeFile[], end: string) =>
  files.find(({ path }) => path.endsWith(end))?.text ?? '';

function throughSpecKit(outline: Outline): Outline {
  const files = writeSpecKit(outline, '001-name');
  const [tasks, plan, spec] = ['tasks.md', 'plan.md', 'spec.md'].map((end) => textOf(files, end));
  return readSpecKit({ tasks: tasks ?? '', plan: plan ?? '', spec: spec ?? '' }, 'name').outline;
}

function throughOpenSpec(outline: Outline): Outline {
  const files = writeOpenSpec(outline, 'name');
  const [tasks = '', proposal = '', design = '', spec = ''] = [
    'tasks.md',
    'proposal.md',
    'design.md',
    '/spec.md',
  ].map((end) => textOf(files, end));
  const specs = [{ capability: 'name', text: spec }];
  return { ...readOpenSpec({ tasks, proposal, design, specs }, 'name').outline, date: outline.date };
}

test('a plan comes back from spec-kit as it went, whatever its words', () => {
  fc.assert(
    fc.property(outlines, (outline) => {
      expect(throughSpecKit(outline)).toEqual(outline);
    }),
    { numRuns: 100 },
  );
});

test('a plan comes back from OpenSpec as it went, whatever its words', () => {
  fc.assert(
    fc.property(outlines, (outline) => {
      expect(throughOpenSpec(outline)).toEqual(outline);
    }),
    { numRuns: 100 },
  );
});

const files: LitePlanFiles = {
  plan: {
    summary: 'Limit requests',
    approach: 'A counter per client.',
    task_ids: ['TASK-002', 'TASK-001'],
    task_count: 2,
    complexity: 'Low',
    _metadata: {
      timestamp: '2026-11-16T10:00:00Z',
      source: 'x',
      plan_type: 'feature',
      schema_version: '2.0',
    },
  },
  tasks: [
    {
      id: 'TASK-002',
      title: 'Test the limiter',
      description: 'Two cases.',
      depends_on: ['TASK-001'],
      implementation: [{ step: 1, description: 'Write it', actions: ['run it'] }, 'Run it.'],
      convergence: { criteria: ['`npm test` exits with 0'] },
      priority: 'high',
      effort: 'small',
      scope: ['test'],
    },
    {
      id: 'TASK-001',
      title: 'Add the limiter',
      description: 'Count requests.\n\nPer client.',
      depends_on: [],
      files: [{ path: 'src/limit.ts', action: 'create', change: 'The counter.' }],
      implementation: ['Write it.', 'Export it.'],
      convergence: { criteria: ['src/limit.ts exports limit'] },
    },
  ],
};

test('tasks are renumbered in an order in which they can be done, and become task files again', () => {
  const outline = outlineOf(files, 'Rate limits');
  expect(outline.tasks.map(({ number, title, dependsOn }) => [number, title, dependsOn])).toEqual([
    [1, 'Add the limiter', []],
    [2, 'Test the limiter', [1]],
  ]);
  const facts = { session: 's', timestamp: '2026-11-16T10:00:00Z', angles: [], baseCommit: 'abc' };
  for (const each of [throughSpecKit, throughOpenSpec]) {
    const { plan, tasks } = filesFromDraft(draftOf(each(outline)), facts, 'Low');
    expect(tasks.map(({ id, depends_on }) => [id, depends_on])).toEqual([
      ['TASK-001', []],
      ['TASK-002', ['TASK-001']],
    ]);
    for (const task of tasks) expect(liteTaskSchema.safeParse(task).error).toBeUndefined();
    expect(checkQuality(plan, tasks).critical).toEqual([]);
  }
});

test('a list of spec-kit that another tool wrote: phases, [P], stories, dependencies, ticked tasks', () => {
  const tasks = `# Tasks: Shop

## Phase 1: Setup
- [x] T001 Create the project
- [ ] T002 [P] Configure linting in biome.json
## Phase 2: Foundational
- [ ] T003 Add the schema in src/schema.ts
## Phase 3: User Story 1 - Cart (Priority: P1)
- [ ] T004 [P] [US1] Model in src/cart.ts
- [ ] T005 [P] [US1] Service in src/service.ts
- [ ] T006 [US1] Endpoint in src/api.ts (depends on T004, T005)

**Checkpoint**: A cart can be filled over the API
## Phase 4: User Story 2 - Orders
- [ ] T007 [US2] Order in src/order.ts
## Phase 5: Polish
- [ ] T008 Documentation in docs/
`;
  const { outline, notes } = readSpecKit({ tasks }, 'shop');
  expect(outline.title).toBe('Shop');
  expect(outline.tasks.map(({ number, dependsOn }) => [number, dependsOn])).toEqual([
    [1, []],
    [2, [1]],
    [3, [2]],
    [4, [3]],
    [5, [3]],
    [6, [4, 5]],
    [7, [3]],
    [8, [6, 7]],
  ]);
  expect(outline.tasks.map(({ done }) => done === true)).toEqual([true, ...Array(7).fill(false)]);
  expect(outline.tasks[2]).toMatchObject({
    title: 'Add the schema in src/schema.ts',
    files: [{ path: 'src/schema.ts' }],
  });
  expect(outline.tasks[5]?.criteria).toEqual(['A cart can be filled over the API']);
  expect(notes[0]).toContain('1 of 8 tasks are ticked off');
});

test('a change of OpenSpec that another tool wrote: groups follow one another, scenarios become criteria', () => {
  const { outline } = readOpenSpec(
    {
      tasks:
        '## 1. Registry\n\n- [x] 1.1 Done\n- [ ] 1.2 Enable it in `src/config.ts`\n\n## 2. Docs\n- [ ] 2.1 Say so\n',
      proposal: '## Why\n\nIt is missing.\n\n## What Changes\n\n- Enable it\n',
      specs: [
        {
          capability: 'init',
          text: '## ADDED Requirements\n### Requirement: Target\nIt SHALL.\n#### Scenario: Chosen\n- **WHEN** it is chosen\n- **THEN** it is there\n## REMOVED Requirements\n### Requirement: Old\n#### Scenario: Gone\n- **WHEN** x\n- **THEN** y\n',
        },
      ],
    },
    'add-target',
  );
  expect(outline).toMatchObject({ title: 'add-target', summary: 'It is missing.', approach: '- Enable it' });
  expect(outline.tasks).toMatchObject([
    {
      number: 1,
      description: 'Done: Done',
      steps: ['Enable it in `src/config.ts`'],
      files: [{ path: 'src/config.ts' }],
      dependsOn: [],
    },
    { number: 2, dependsOn: [1], criteria: ['init, Target: WHEN it is chosen THEN it is there'] },
  ]);
});

const importFacts = { session: 's', timestamp: '2027-01-01T00:00:00Z', angles: [], baseCommit: 'def' };
test.each([
  ['no spec-kit task', () => readSpecKit({ tasks: '# Tasks\n- do it\n' }, 'x'), 'T001'],
  ['no open spec-kit task', () => readSpecKit({ tasks: '- [x] T001 a\n' }, 'x'), 'ticked off'],
  ['no open OpenSpec task', () => readOpenSpec({ tasks: '## 1. A\n- [x] 1.1 a' }, 'x'), 'ticked off'],
  ['no OpenSpec group', () => readOpenSpec({ tasks: '- [ ] alone' }, 'x'), '## 1. Title'],
  ['no embedded task', () => readEmbeddedPlan('{"summary":"s","tasks":[]}', 'plan.json'), 'tasks'],
])('P-104: reports %s instead of guessing', (_name, read, message) => {
  expect(read).toThrow(message);
});

test('P-103: an unknown dependency of an embedded plan stays visible as an error', () => {
  const { draft } = readEmbeddedPlan(
    '{"summary":"s","tasks":[{"id":1,"title":"a","depends_on":[44]}]}',
    'plan.json',
  );
  const { plan } = filesFromDraft(draft, importFacts, 'Low');
  expect(plan._metadata.quality_check?.critical).toEqual([
    expect.stringContaining('which is not a task of this plan'),
  ]);
});

test('P-103: a plan that embeds its tasks is migrated, former names and all', () => {
  const former = {
    summary: 'Limits',
    tasks: [
      {
        id: 'T1',
        title: 'Add it',
        acceptance: ['It is there'],
        modification_points: [{ file: 'src/a.ts', change: 'Add.' }],
      },
      { id: 'T2', title: 'Use it', depends_on: ['T1'], implementation: ['a', 'b'] },
    ],
  };
  const { draft } = readEmbeddedPlan(JSON.stringify(former), 'plan.json');
  expect(draft.tasks).toMatchObject([
    { convergence: { criteria: ['It is there'] }, files: [{ path: 'src/a.ts', change: 'Add.' }] },
    { depends_on: ['TASK-001'], implementation: ['a', 'b'] },
  ]);
});

test('P-103 P-131 a plan that embeds its tasks loses nothing that a plan can say, and names what it cannot', () => {
  const former = {
    summary: 'Limits',
    complexity: 'High',
    design_decisions: [{ decision: 'A map', rationale: 'Small', alternatives: ['Redis'] }],
    _metadata: { base_commit: 'abc', schema_version: '1.0' },
    tasks: [
      {
        id: 1,
        title: 'Add it',
        implementation: [
          { step: 1, description: 'Write the parser' },
          { do: 'Export it', in: 'src/n.ts' },
          'Run it',
        ],
        acceptance: '- It parses\n- It is exported',
        files: [{ path: 'src/n.ts', action: 'create', change: 'new', owner: 'ann' }, 'src/m.ts'],
        modification_points: [{ file: 'src/a.ts', target: 'main()', change: 'Call it.' }],
        verification: { unit_tests: ['Parses'], integration_tests: 'Runs' },
        test: { commands: 'npm test' },
        risks: [
          { description: 'r', mitigation: 'm', impact: 'Low' },
          { description: 'no remedy', probability: 'Huge' },
        ],
        rationale: { chosen_approach: 'why', tradeoffs: 'some' },
        effort: 'tiny',
        phase: 3,
      },
      { id: 2, title: 'Use it', depends_on: [1], convergence: { verification: 'Look' }, acceptance: [] },
    ],
  };
  const { draft, notes } = readEmbeddedPlan(JSON.stringify(former), 'plan.json');
  const { plan, tasks } = filesFromDraft(draft, importFacts, 'Low');
  expect(plan).toMatchObject({
    complexity: 'High',
    design_decisions: former.design_decisions,
    _metadata: { base_commit: 'abc', schema_version: '2.0', plan_type: 'feature' },
  });
  expect(tasks).toMatchObject([
    {
      implementation: [{ step: 1, description: 'Write the parser' }, 'do: Export it; in: src/n.ts', 'Run it'],
      convergence: { criteria: ['It parses', 'It is exported'] },
      files: [
        { path: 'src/n.ts', action: 'create', change: 'new' },
        { path: 'src/m.ts' },
        { path: 'src/a.ts', target: 'main()', change: 'Call it.' },
      ],
      test: { commands: ['npm test'], unit: ['Parses'], integration: ['Runs'] },
      risks: [{ description: 'r', mitigation: 'm', impact: 'Low' }],
      rationale: former.tasks[0]?.rationale,
      phase: 3,
    },
    {
      depends_on: ['TASK-001'],
      convergence: { verification: 'Look', criteria: [expect.stringContaining('Use it')] },
    },
  ]);
  for (const task of tasks) expect(liteTaskSchema.safeParse(task).error).toBeUndefined();
  expect(notes.slice(1)).toEqual([
    expect.stringContaining('1 risks.1 {"description":"no remedy","probability":"Huge"}'),
    expect.stringContaining('1 effort "tiny"'),
    expect.stringContaining('1 files.0.owner "ann"'),
  ]);
});

test('an issue body mentions no user, opens no HTML of the plan, and is never longer than GitHub takes', () => {
  fc.assert(
    fc.property(outlines, (outline) => {
      const body = issueBody(outline);
      expect(body.length).toBeLessThanOrEqual(65_536);
      expect(body.match(/<\/details>/g)?.length).toBe(outline.tasks.length);
      expect(body).not.toMatch(/(^|\s)@ann/);
    }),
    { numRuns: 50 },
  );
  const long = outlineOf({
    ...files,
    tasks: files.tasks.map((task) => ({ ...task, description: 'word '.repeat(20_000) })),
  });
  expect(issueBody(long).length).toBeLessThanOrEqual(65_536);
  expect(issueBody(long)).toContain('too long for an issue');
});
