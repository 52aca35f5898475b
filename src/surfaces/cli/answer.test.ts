import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { type WrittenRun, writeRun, writtenRunId } from '../../../test/support/web-run.ts';
import { openQuestions } from '../../engine/answers.ts';
import { readRunRecordSync, updateRunRecord } from '../../engine/run-record.ts';

let run: WrittenRun;
beforeEach(() => {
  run = writeRun({ status: 'paused' });
  const questions = ['consent', 'scope'].map((id) => ({ id, text: `${id}?` }));
  writeFileSync(run.directory.questions, JSON.stringify({ schemaVersion: 1, questions, answers: [] }));
});
afterEach(() => run.remove());

const answer = (...words: string[]) =>
  runCommandLine('answer', writtenRunId, ...words, '--no-resume', '--cwd', run.home.project);

test.each([
  [['scpoe=1'], 'has no question "scpoe". Did you mean `scope`? Open: consent, scope.'],
  [['bogus=1', 'consent=yes'], 'has no question "bogus". Open: consent, scope.'],
])('rejects an answer to an unknown question and keeps none of the answers: %j', async (words, said) => {
  const { exit, err } = await answer(...words);
  expect(exit).toBe(4);
  expect(err).toContain(said);
  expect(openQuestions(run.directory).map(({ id }) => id)).toEqual(['consent', 'scope']);
});

test('rejects an answer when no question is open', async () => {
  writeFileSync(run.directory.questions, JSON.stringify({ schemaVersion: 1, questions: [], answers: [] }));
  const { exit, err } = await answer('consent=yes');
  expect([exit, err]).toEqual([4, expect.stringContaining('has no open question')]);
});

test('never resumes a stopped run', async () => {
  await updateRunRecord(run.directory, { status: 'stopped' });
  const words = ['answer', writtenRunId, 'consent=yes', '--cwd', run.home.project];
  const { exit, out } = await runCommandLine(...words);
  expect([exit, out]).toEqual([
    0,
    `Left 1 answer(s). Run \`charrette resume ${writtenRunId}\` to continue.\n`,
  ]);
  expect(readRunRecordSync(run.directory).status).toBe('stopped');
});

test('an answer to a question that was asked says nothing more', async () => {
  expect((await answer('consent=yes')).err).toBe('');
});
