import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTasks } from '../tasks/schedule.ts';
import { issueBody } from './issue-writer.ts';
import { readOpenSpec } from './openspec-reader.ts';
import { writeOpenSpec } from './openspec-writer.ts';
import { draftOf, filesFromDraft, type Outline, outlineOf } from './outline.ts';
import { readSpecKit } from './spec-kit-reader.ts';
import { writeSpecKit } from './spec-kit-writer.ts';
import { readTaskList } from './task-list-reader.ts';

const facts = { session: 's', timestamp: '2026-01-01T00:00:00Z', angles: [], baseCommit: undefined };
const listOf = (text: string) => {
  const reading = readTaskList(text, 'TODO.md');
  if (reading === undefined) throw new Error('no task list');
  return reading;
};
const filesOf = (outline: Outline) => filesFromDraft(draftOf(outline), facts, 'Medium');

test('boxes: one task each, ticked ones completed, nested ones steps, paths files, the rest the approach', () => {
  const { outline, notes } = listOf(`# Limits

Requests are limited per client.

- [x] Count requests in \`src/limit.ts\`
* [ ] Refuse the third call, see https://example.com/a.js and /etc/passwd.conf
  in src/server.ts with Node.js

  Say when to try again.

  - [x] Read the header
  - [ ] Write the header

## Later

1. Server
   - [ ] Document it in [the manual](docs/limits.md)
`);
  expect(outline).toMatchObject({
    title: 'Limits',
    approach: expect.stringMatching(/^Requests are limited per client\.[\s\S]*## Later[\s\S]*1\. Server/),
  });
  expect(outline.tasks).toMatchObject([
    {
      title: 'Count requests in `src/limit.ts`',
      done: true,
      files: [{ path: 'src/limit.ts' }],
      dependsOn: [],
    },
    {
      title: 'Refuse the third call, see https://example.com/a.js and /etc/passwd.conf',
      steps: ['(done) Read the header', 'Write the header'],
      files: [{ path: 'src/server.ts' }],
      dependsOn: [],
    },
    { title: 'Document it in the manual', description: 'Document it in [the manual](docs/limits.md)' },
  ]);
  expect(outline.tasks[1]?.description).toContain('Say when to try again.');
  expect(notes).toEqual(['1 of 3 tasks are ticked off and stay completed']);
  const { tasks } = filesOf(outline);
  expect(tasks.map(({ id, status }) => [id, status])).toEqual([
    ['TASK-001', 'completed'],
    ['TASK-002', undefined],
    ['TASK-003', undefined],
  ]);
  expect(openTasks(tasks).map(({ id }) => id)).toEqual(['TASK-002', 'TASK-003']);
});

test('headings "Task N": sections are tasks, their boxes steps, "Create:" and "Modify:" lines files', () => {
  const { outline } = listOf(`# Limits Implementation Plan

**Goal:** Limit requests.

---

### Task 1: Counter

**Files:**
- Create: \`src/limit.ts\`
- Modify: \`src/server.ts:12-20\`
- Test: \`test/limit.test.ts\`

- [ ] **Step 1: Write the failing test**

\`\`\`ts
import { limit } from './limit.ts';
- [ ] not a box
## Task 9: not a heading
\`\`\`

Run: \`npm test\`

### Task 2 - Refusal ✅

Refuse it.

### Task 3: Manual

**Depends on:** Task 1

- [x] Write docs/limits.md

## Notes

Ask Ann.
`);
  expect(outline.tasks).toMatchObject([
    {
      title: 'Counter',
      files: [
        { path: 'src/limit.ts', action: 'create' },
        { path: 'src/server.ts', action: 'modify' },
        { path: 'test/limit.test.ts' },
      ],
      steps: ['Step 1: Write the failing test'],
      commands: ['`npm test`'],
      dependsOn: [],
    },
    { title: 'Refusal', done: true, dependsOn: [1] },
    { title: 'Manual', done: true, dependsOn: [1], files: [{ path: 'docs/limits.md' }] },
  ]);
  expect(outline.tasks[0]?.description).toContain("import { limit } from './limit.ts';\n- [ ] not a box");
  expect(outline.approach).toMatch(/\*\*Goal:\*\* Limit requests\.[\s\S]*## Notes\n\nAsk Ann\./);
});

test.each([
  ['1. [ ] a\n2. [ ] b\n3. [ ] c\n   - Depends on: 1\n', [[], [1], [1]]],
  ['- [ ] 1. a\n- [ ] 2. b\n- [ ] 2.1 c (depends on 1)\n', [[], [1], [1]]],
  ['- [ ] a\n- [ ] 3 retries\n- [ ] c\n  - Dependencies: Task 1 and 2\n', [[], [], [1, 2]]],
  ['- [ ] a\n- [ ] b\n  - Dependencies: lodash 4, express 5\n', [[], []]],
  ['## Task 1: a\n## Task 2: b\nDepends on: none\n## Task 3. c\n', [[], [], [2]]],
])('dependencies of %j', (text, expected) => {
  expect(listOf(text).outline.tasks.map(({ dependsOn }) => dependsOn)).toEqual(expected);
});

test.each([
  ['- [ ] a\n- [-] b\n', 'line 2: the box "[-]" is neither'],
  ['- [ ] a\n- [ ]\n', 'line 2: a box without a task'],
  ['- [x] a\n- [X] b\n', 'every task in TODO.md is ticked off'],
  ['1. [ ] a\n2. [ ] b\n   - Depends on: 7\n', '"b" depends on 7; the tasks are 1, 2'],
  [`${'- [ ] a\n'.repeat(60_000)}`, 'cannot be read as a task list'],
])('refuses %j', (text, message) => {
  expect(() => readTaskList(text, 'TODO.md')).toThrow(message);
});

test.each([
  'Rename the logger.\n',
  '# Task forces\n\n- a\n- b\n',
  '## 1. Introduction\n\nText.\n',
  '```\n- [ ] a\n```\n',
])('%j is not read as a task list', (text) => expect(readTaskList(text, 'notes.md')).toBeUndefined());

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const entry = fc.record({ title: word, lines: fc.array(word, { maxLength: 4 }), done: fc.boolean() });

test('no line of a task is lost: each reaches its description', () => {
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('-', '*', '+', '1.'),
      (entries, mark) => {
        const text = [{ title: 'open', lines: [], done: false }, ...entries]
          .map(({ title, lines, done }, index) =>
            [
              `${mark} [${done ? 'x' : ' '}] ${title}`,
              ...lines.map((line, at) => `    ${['', '- ', '- [ ] ', '> '][(at + index) % 4]}${line}`),
            ].join('\n'),
          )
          .join('\n');
        const { tasks } = listOf(text).outline;
        expect(tasks.map(({ done }) => done === true)).toEqual([false, ...entries.map(({ done }) => done)]);
        for (const [index, { title, lines }] of entries.entries())
          for (const line of [title, ...lines]) expect(tasks[index + 1]?.description).toContain(line);
      },
    ),
  );
});

const two = () =>
  listOf('1. [x] Count in src/a.ts\n2. [ ] Refuse in src/b.ts\n   - Do this\n   - Done when: b refuses\n')
    .outline;

test.each([
  [
    'spec-kit',
    (outline: Outline) => readSpecKit({ tasks: textIn(writeSpecKit(outline, '001-x')) }, 'x').outline,
  ],
  [
    'openspec',
    (outline: Outline) => readOpenSpec({ tasks: textIn(writeOpenSpec(outline, 'x')) }, 'x').outline,
  ],
  ['issue', (outline: Outline) => listOf(issueBody(outline)).outline],
])('%s: completed and open tasks, steps, criteria and dependencies come back from an export', (_, back) => {
  const before = filesOf(two());
  const { tasks } = filesOf(back(outlineOf(before)));
  expect(tasks.map(({ status }) => status)).toEqual(['completed', undefined]);
  expect(tasks).toMatchObject(
    before.tasks.map(({ title, depends_on, files, implementation, convergence }) => ({
      title,
      depends_on,
      files,
      implementation,
      convergence,
    })),
  );
});

const textIn = (files: readonly { path: string; text: string }[]) =>
  files.find(({ path }) => path.endsWith('tasks.md'))?.text ?? '';

test('OpenSpec and spec-kit: prose below a group or a task reaches its description', () => {
  const group = readOpenSpec(
    { tasks: '## 1. A\nWhy it matters.\n- a plain point\n- [x] 1.1 x\n- [ ] 1.2 y\n' },
    'x',
  );
  expect(group.outline.tasks[0]?.description).toBe('Why it matters.\n- a plain point\nDone: x');
  const kit = readSpecKit({ tasks: '- [ ] T001 a\n  more about it\n  - [x] half\n' }, 'x');
  expect(kit.outline.tasks[0]).toMatchObject({ description: 'more about it', steps: ['(done) half'] });
});
