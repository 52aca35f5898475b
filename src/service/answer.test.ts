import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { leaveAnswers, openQuestions } from '../engine/answers.ts';
import { peekMessages } from '../engine/inbox.ts';
import { type Answer, type Question, rememberQuestions } from '../engine/question.ts';
import { homeOf, type RunDirectory, runDirectoryOf } from '../engine/run-directory.ts';
import { answerOpen } from './answer.ts';

const who: Question = { id: 'who', text: 'Who?' };
const when: Question = { id: 'when', text: 'When?', options: [{ value: 'now', label: 'now' }] };
const to = ({ id }: Question, value: string): Answer => ({ question: id, value, source: 'person' });

function asking(): RunDirectory {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const directory = runDirectoryOf(homeOf(folder), 'r1');
  rememberQuestions(directory, [who, when]);
  return directory;
}

test('`watch` reports an answer that came too late and asks for the rest again', async () => {
  const directory = asking();
  const asked: string[][] = [];
  const told: string[] = [];
  const ask = async (open: Question[]) => {
    asked.push(open.map(({ id }) => id));
    if (asked.length === 1) await leaveAnswers(directory, [to(who, 'ann')]);
    return open.map((question) => to(question, 'now'));
  };
  expect(await answerOpen(directory, ask, async (text) => told.push(text))).toBe(true);
  expect(asked).toEqual([['who', 'when'], ['when']]);
  expect(told).toEqual(['who was answered: ann']);
  expect(openQuestions(directory)).toEqual([]);
  expect(peekMessages(directory.inbox)).toHaveLength(2);
});

test('does not ask again after an answer that the question does not take', async () => {
  const directory = asking();
  const never = async (open: Question[]) => open.map((question) => to(question, 'never'));
  await expect(answerOpen(directory, never, async () => {})).rejects.toThrow('choose now');
  expect(
    await answerOpen(
      directory,
      async () => undefined,
      async () => {},
    ),
  ).toBe(false);
});

test('a question answered elsewhere closes the prompt, and only the rest is asked again', async () => {
  const directory = asking();
  const asked: string[][] = [];
  const ask = async (open: Question[], answeredElsewhere: AbortSignal) => {
    asked.push(open.map(({ id }) => id));
    if (asked.length > 1) return open.map((question) => to(question, 'now'));
    const closed = new Promise<undefined>((resolve) => {
      answeredElsewhere.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    await leaveAnswers(directory, [to(who, 'ann')]);
    return closed;
  };
  expect(await answerOpen(directory, ask, async () => {})).toBe(true);
  expect(asked).toEqual([['who', 'when'], ['when']]);
});
