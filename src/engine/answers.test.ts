import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { applyInbox, leaveAnswers, openQuestions, recordAnswers } from './answers.ts';
import { leaveMessage, peekMessages } from './inbox.ts';
import { type Answer, readQuestions, rememberAnswers, rememberQuestions } from './question.ts';
import { homeOf, type RunDirectory, runDirectoryOf } from './run-directory.ts';

const scope = {
  id: 'scope',
  text: 'Which?',
  options: ['api', 'all'].map((value) => ({ value, label: value })),
};
const free = { id: 'free', text: 'What?' };
const answer = (question: string, value: string): Answer => ({ question, value, source: 'person' });

function asking(): RunDirectory {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-answers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const directory = runDirectoryOf(homeOf(folder), 'r1');
  rememberQuestions(directory, [scope, free]);
  return directory;
}

test('a second answer that would have no effect is refused; the same one again is nothing new', async () => {
  const directory = asking();
  rememberAnswers(directory, [answer('scope', 'api')]);
  await expect(leaveAnswers(directory, [answer('scope', 'all')])).rejects.toMatchObject({
    code: 'usage',
    message: 'scope was answered: api',
  });
  expect(await leaveAnswers(directory, [answer('scope', 'api'), answer('free', 'x')])).toEqual([
    answer('free', 'x'),
  ]);
  expect(peekMessages(directory.inbox)).toEqual([{ type: 'answer', answers: [answer('free', 'x')] }]);
});

test('saves answers from the inbox; one that is not offered has no effect', async () => {
  const directory = asking();
  await leaveMessage(directory.inbox, { type: 'answer', answers: [answer('scope', 'none')] });
  await leaveMessage(directory.inbox, {
    type: 'answer',
    answers: [answer('free', 'x'), answer('later', 'y')],
  });
  await leaveMessage(directory.inbox, { type: 'cancel', reason: 'enough' });
  await applyInbox(directory);
  expect(readQuestions(directory).answers).toEqual([answer('free', 'x'), answer('later', 'y')]);
  expect(peekMessages(directory.inbox)).toEqual([{ type: 'cancel', reason: 'enough' }]);
});

test('an answer in the inbox is final like a saved one, and closes its question', async () => {
  const directory = asking();
  expect(openQuestions(directory).map(({ id }) => id)).toEqual(['scope', 'free']);
  await leaveAnswers(directory, [answer('free', 'first')]);
  await expect(leaveAnswers(directory, [answer('free', 'second')])).rejects.toThrow('was answered: first');
  expect(await leaveAnswers(directory, [answer('free', 'first')])).toEqual([]);
  expect(openQuestions(directory).map(({ id }) => id)).toEqual(['scope']);
});

test('answers before their question are taken, what the question does not offer is not', async () => {
  const directory = asking();
  await expect(leaveAnswers(directory, [answer('scope', 'none')])).rejects.toThrow('choose api, all');
  expect(await leaveAnswers(directory, [answer('later', 'yes')])).toEqual([answer('later', 'yes')]);
  // Left before the question was asked; the holder of the run will reject it.
  await leaveMessage(directory.inbox, { type: 'answer', answers: [answer('scope', 'none')] });
  writeFileSync(path.join(directory.inbox, '1.json'), 'broken');
  expect(openQuestions(directory).map(({ id }) => id)).toEqual(['scope', 'free']);
  expect(await leaveAnswers(directory, [answer('scope', 'all')])).toHaveLength(1);
});

test('saves answers of the working process after those from the inbox', async () => {
  const directory = asking();
  await leaveAnswers(directory, [answer('free', 'first')]);
  await recordAnswers(directory, [answer('free', 'second'), answer('scope', 'api')]);
  expect(readQuestions(directory).answers).toEqual([answer('free', 'first'), answer('scope', 'api')]);
});

test('accepts only one of two different answers that two processes give in parallel', async () => {
  const directory = asking();
  const questions = Array.from({ length: 12 }, (_, round) => `round-${round}`);
  const [one = [], two = []] = await atOnce(['one', 'two'], directory, questions);
  await applyInbox(directory);
  const counts = readQuestions(directory).answers;
  expect(counts.map(({ question }) => question)).toEqual(questions);
  for (const [round, { question, value }] of counts.entries())
    expect([question, one[round], two[round]]).toEqual([
      question,
      ...['one', 'two'].map((mine) => (mine === value ? 'confirmed' : `${question} was answered: ${value}`)),
    ]);
});

/** Processes that each answer every question with their own value, a question at a time, all at the same moment. */
function atOnce(values: string[], directory: RunDirectory, questions: string[]): Promise<string[][]> {
  const script = `import { leaveAnswers } from ${JSON.stringify(path.join(import.meta.dirname, 'answers.ts'))};
    const [directory, questions, value, begin] = process.argv.slice(1).map((word) => JSON.parse(word));
    const said = [];
    for (const [round, question] of questions.entries()) {
      while (Date.now() < begin + round * 100);
      const given = leaveAnswers(directory, [{ question, value, source: 'person' }]);
      said.push(await given.then(() => 'confirmed', (error) => error.message));
    }
    process.stdout.write(JSON.stringify(said));`;
  const begin = Date.now() + 2000;
  return Promise.all(
    values.map(async (value) => {
      const words = [directory, questions, value, begin].map((word) => JSON.stringify(word));
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...words], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return JSON.parse(await text(child.stdout)) as string[];
    }),
  );
}
