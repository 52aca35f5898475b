import { expect, test } from 'vitest';
import { cleanTexts } from '../../../test/support/skill-packages.ts';
import {
  attachItems,
  checkSentinel,
  collapsePhase,
  compactionPlan,
  recoveryText,
  snapshotPhase,
  type TodoEntry,
  type TodoList,
  todoProblems,
} from './compaction.ts';

const path = 'phases/04-task-generation.md';
const text = cleanTexts()[path] ?? '';
const file = { path, text };
const sentinel = text.slice(text.indexOf('> **📌'), text.indexOf('\n\n', text.indexOf('> **📌')));

const item = (id: string, status: TodoEntry['status'], more: Partial<TodoEntry> = {}): TodoEntry => ({
  id,
  kind: 'phase',
  content: `Phase ${id}`,
  activeForm: `Running ${id}`,
  status,
  phaseFile: `phases/0${id}-x.md`,
  attempts: 0,
  ...more,
});
const list: TodoList = {
  version: 1,
  sessionId: 's',
  skill: 'demo-flow',
  rev: 1,
  updatedAt: '2026-01-01T00:00:00Z',
  active: { phase: '3', file: path, sha256: snapshotPhase(path, text).sha256, steps: [], cursor: '4.2' },
  items: [item('1', 'completed'), item('2', 'skipped'), item('3', 'in_progress'), item('4', 'pending')],
};

test('P-162 the active document is kept, finished ones may be summarised, pending ones are not loaded', () => {
  expect(compactionPlan(list)).toEqual({
    keep: ['phases/03-x.md'],
    summarise: ['phases/01-x.md', 'phases/02-x.md'],
    absent: ['phases/04-x.md'],
  });
});

test('P-163 a whole document in the context is full', () => {
  expect(checkSentinel(`earlier talk\n\n${text}\n\nlater talk`, file)).toEqual({
    state: 'full',
    missing: [],
    reread: undefined,
  });
});

test('P-163 T-10 step names without their text are not the protocol', () => {
  const summary = `${sentinel}\n\nSummary: Step 4.1 Check the inputs, Step 4.2 Delegate, Step 4.3 Record the result.\n\n### Step 4.1: Check the inputs\n\n(done)\n`;
  expect(checkSentinel(summary, file)).toMatchObject({
    state: 'sentinel-only',
    missing: ['4.1', '4.2', '4.3'],
    reread: { path },
  });
});

test('P-163 some steps are partial, nothing at all is absent', () => {
  const cut = text.slice(0, text.indexOf('### Step 4.3'));
  expect(checkSentinel(cut, file)).toMatchObject({ state: 'partial', missing: ['4.3'] });
  expect(checkSentinel('something else', file)).toMatchObject({ state: 'absent', reread: file });
});

test('P-164 P-167 recovery carries the document and says when it changed', () => {
  expect(recoveryText(list, file)).toMatchObject({ changed: false });
  expect(recoveryText(list, file).text).toContain('Continue at Step 4.2.');
  expect(recoveryText(list, file).text).toContain(text.trim());
  expect(recoveryText(list, { path, text: `${text}\nmore` }).changed).toBe(true);
});

test('P-161 P-141 T-03 one phase is active, and attaching or collapsing keeps the phases', () => {
  expect(todoProblems(list)).toEqual([]);
  const attached = attachItems(list, '3', [
    { ...item('3a', 'in_progress'), kind: 'batch' },
    { ...item('3b', 'in_progress'), kind: 'batch' },
  ]);
  expect(attached.items.map(({ id }) => id)).toEqual(['1', '2', '3', '3a', '3b', '4']);
  expect(todoProblems(attached)).toEqual([]);
  expect(collapsePhase(attached, '3', 'completed').items.map(({ id, status }) => `${id} ${status}`)).toEqual([
    '1 completed',
    '2 skipped',
    '3 completed',
    '4 pending',
  ]);
  expect(todoProblems({ items: [item('1', 'in_progress'), item('2', 'in_progress')] })).toHaveLength(1);
  expect(todoProblems({ items: [{ ...item('b', 'pending'), kind: 'batch' }] })).toHaveLength(2);
});
