import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { leaveMessage, readMessages, removeMessage } from './inbox.ts';
import { checkAnswer, readQuestions, rememberAnswers, rememberQuestions, unanswered } from './question.ts';
import { createRunDirectory, homeOf, type RunDirectory, runDirectoryOf } from './run-directory.ts';

let directory: RunDirectory;

beforeEach(async () => {
  directory = runDirectoryOf(homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-questions-'))), 'run-1');
  await createRunDirectory(directory);
});

const scope = { id: 'scope', text: 'Which?', options: [{ value: 'api', label: 'API' }] };

test('asking again changes nothing, and the first answer is final', () => {
  rememberQuestions(directory, [scope]);
  rememberQuestions(directory, [{ ...scope, text: 'other words' }]);
  expect(readQuestions(directory).questions).toEqual([scope]);
  rememberAnswers(directory, [{ question: 'scope', value: 'api', source: 'person' }]);
  rememberAnswers(directory, [{ question: 'scope', value: 'late', source: 'person' }]);
  expect(readQuestions(directory).answers).toEqual([{ question: 'scope', value: 'api', source: 'person' }]);
  expect(unanswered(readQuestions(directory))).toEqual([]);
});

test('reads only questions and answers of an untrusted file', () => {
  for (const questions of [5, [7, { id: 'a' }, { ...scope, options: ['api'] }, scope]]) {
    writeFileSync(directory.questions, JSON.stringify({ questions, answers: [null, { question: 'scope' }] }));
    expect(unanswered(readQuestions(directory))).toEqual(questions === 5 ? [] : [scope]);
  }
});

test('a value that is not offered is refused with those that are', () => {
  expect(() => checkAnswer(scope, 'web')).toThrow(/choose api/);
  expect(() => checkAnswer({ id: 'free', text: 'What?' }, 'anything')).not.toThrow();
});

test('messages are taken in the order in which they were left; one that cannot be read is kept aside', async () => {
  await leaveMessage(directory.inbox, {
    type: 'answer',
    answers: [{ question: 'a', value: '1', source: 'person' }],
  });
  await leaveMessage(directory.inbox, { type: 'cancel', reason: 'enough' });
  writeFileSync(path.join(directory.inbox, '0-broken.json'), '{"type":"explode"}');
  const messages = await readMessages(directory.inbox);
  expect(messages.map(({ message }) => message.type)).toEqual(['answer', 'cancel']);
  for (const message of messages) await removeMessage(message);
  expect(await readMessages(directory.inbox)).toEqual([]);
});

test('a broken questions file reads as empty instead of ending the run', () => {
  writeFileSync(directory.questions, '{"questions": [');
  expect(readQuestions(directory)).toMatchObject({ questions: [], answers: [] });
});
