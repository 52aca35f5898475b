import { expect, test } from 'vitest';
import { assessComplexity } from '../../workflows/build/rules/explore-decision.ts';
import { readOpenSpec } from '../exchange/openspec-reader.ts';
import { draftOf, filesFromDraft, type OutlineTask } from '../exchange/outline.ts';
import { readSpecKit } from '../exchange/spec-kit-reader.ts';
import { writeSpecKit } from '../exchange/spec-kit-writer.ts';
import { readHandoffSpec } from './handoff-spec.ts';
import { dependencyProblems } from './schedule.ts';

// A pattern that looks back from every character needs minutes for these; the limit of the test is what it fails by.
const size = 1_000_000;
const many = (piece: string, length = size) => piece.repeat(Math.floor(length / piece.length));

test('a task of empty lines', () => {
  expect(assessComplexity(`Rename it${many('\n')}- one\n- two\n`)).toBeDefined();
});

test('hand-overs that never close', () => {
  expect(readHandoffSpec(many('```json:handoff-spec\n', 4 * size))).toBeUndefined();
  const spec = readHandoffSpec('```json:handoff-spec a\n{"summary":"s"}\n   ````  \n```json:handoff-spec\n');
  expect(spec?.summary).toBe('s');
});

test.each([
  ['comments that never close', { tasks: '- [ ] T001 a', spec: `### Edge Cases\n${many('<!--', 2 * size)}` }],
  ['a title of backslashes', { tasks: `- [ ] T001 a ${many('\\')}` }],
])('a feature folder with %s', (_, files) => {
  expect(readSpecKit(files, 'name').outline.tasks).toHaveLength(1);
});

const facts = { session: 's', timestamp: '2026-01-01T00:00:00Z', angles: [], baseCommit: undefined };
const qualityOf = (outline: Parameters<typeof draftOf>[0]) =>
  filesFromDraft(draftOf(outline), facts, 'Low').plan._metadata.quality_check;
const count = 60_000;
const each = (line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

test('many tasks', () => {
  const { outline } = readSpecKit({ tasks: many('- [ ] T1\n') }, 'name');
  expect(qualityOf(outline)?.critical.at(-1)).toMatch(/circle/);
});

test('tasks with missing dependencies, and outcomes that no task has', () => {
  const tasks = `${many('- [x] T0 a\n', 2 * size)}${each((index) => `- [x] T${index} a\n`)}`;
  const criteria = each((index) => `  - Done when: outcome x${index}\n`);
  const after = `- [ ] T99999 a (depends on ${each((index) => `T${index}, `)}T99998)\n${criteria}`;
  const spec = each((index) => `- **SC-1**: outcome y${index}\n`);
  const task = readSpecKit(
    { tasks: `---\ndependencies: explicit\n---\n${tasks}${after}`, spec },
    'name',
  ).outline.tasks.at(-1);
  expect(task?.dependsOn).toHaveLength(count + 1);
  expect(task?.criteria.length).toBe(2 * count);
});

test('a circle of many tasks', () => {
  const length = 200_000;
  const tasks = Array.from({ length }, (_, index) => ({
    id: `T${index}`,
    depends_on: [`T${(index + 1) % length}`],
  }));
  expect(dependencyProblems(tasks)).toMatchObject([{ kind: 'cycle', cycle: { length: length + 1 } }]);
});

test('many tasks of one wave', () => {
  const { outline } = readSpecKit(
    { tasks: each((index) => `- [ ] T${index} [P] Change src/a${index}.ts\n`) },
    'name',
  );
  const shared: OutlineTask[] = outline.tasks
    .slice(0, 2)
    .map((task) => ({ ...task, files: [{ path: 'b.ts' }] }));
  const text =
    writeSpecKit({ ...outline, tasks: [...shared, ...outline.tasks.slice(2)] }, 'name').at(-1)?.text ?? '';
  expect(text).toContain('- [ ] T001 Change');
  expect(text.split('[P] Change').length).toBe(count - 1);
});

test('scenarios that say what the tasks say', () => {
  const tasks = `## 1. a\n${each((index) => `- [ ] Done when: x${index}\n`)}`;
  const text = `## ADDED Requirements\n${each((index) => `#### Scenario: s\n- THEN ${index % 2 === 0 ? 'x' : 'y'}${index}\n`)}`;
  const [task] = readOpenSpec({ tasks, specs: [{ capability: 'c', text }] }, 'name').outline.tasks;
  expect(task?.criteria.length).toBe(count + count / 2);
});

test('a separator of lines within a line', () => {
  const blanks = ' '.repeat(200_000);
  const line = `${blanks}a\u2028b\n`;
  const kit = readSpecKit(
    { tasks: `##${line}- [ ] T001${line}  - Step:${line}**Checkpoint**:${line}` },
    'name',
  ).outline;
  expect(kit.tasks).toMatchObject([{ title: 'a b', steps: ['a b'], criteria: ['a b'] }]);
  const text = `##${blanks}ADDED Requirements\n###  Requirement:${line}#### Scenario: x\n- THEN${line}`;
  const change = readOpenSpec(
    { tasks: `## 1. a\nDepends on:${blanks}1\u2028 2\n- [ ]${line}`, specs: [{ capability: 'c', text }] },
    'name',
  ).outline;
  expect(change.tasks).toMatchObject([{ dependsOn: [1, 2], steps: ['a b'], criteria: ['c, a b: THEN a b'] }]);
});
