import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { type WrittenRun, writeRun, writtenRunId } from '../../test/support/web-run.ts';

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
  [['bogus=1'], 'Not asked so far, and kept in case it is: bogus. Open: consent, scope.\n'],
  [['bogus=1', 'consent=yes', 'later=2'], 'kept in case it is: bogus, later. Open: scope.\n'],
  [['bogus=1', 'consent=yes', 'scope=api'], 'kept in case it is: bogus. No question is open.\n'],
])('a mistyped question is not swallowed: %j', async (words, said) => {
  const { exit, out, err } = await answer(...words);
  expect([exit, out]).toEqual([0, `Left ${words.length} answer(s).\n`]);
  expect(err).toContain(said);
});

test('an answer to a question that was asked says nothing more', async () => {
  expect((await answer('consent=yes')).err).toBe('');
});
