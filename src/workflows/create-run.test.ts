import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clockFrom, idsFrom } from '../engine/clock.ts';
import { readQuestions, rememberAnswers } from '../engine/question.ts';
import { homeOf, runDirectoryOf } from '../engine/run-directory.ts';
import { createNamedRun, createRun } from './create-run.ts';

test('panel/C-11: does not reuse an answer that let an earlier run undo changes or spend more', async () => {
  const project = mkdtempSync(path.join(os.tmpdir(), 'charrette-create-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const [home, clock] = [homeOf(project), clockFrom({})];
  const inputs = { roster: [], project, parallel: 1 };
  await createNamedRun(home, 'earlier', { workflow: 'design', title: 'x', inputs }, clock);
  const given = { 'clarify-1': 'yes', 'dirty-tree-sketch-collection': 'restore', 'budget-3': 'continue' };
  rememberAnswers(
    runDirectoryOf(home, 'earlier'),
    Object.entries(given).map(([question, value]) => ({ question, value, source: 'person' as const })),
  );
  const next = { workflow: 'design', title: 'x', inputs: { ...inputs, fromRun: 'earlier' } };
  const run = await createRun(home, next, { clock, ids: idsFrom({}) });
  expect(readQuestions(runDirectoryOf(home, run)).answers.map(({ question }) => question)).toEqual([
    'clarify-1',
  ]);
});
