import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { embeddedEngine, madeRun } from '../../test/support/engine.ts';
import { leaveAnswers } from './answers.ts';
import type { Engine } from './engine.ts';
import { readQuestions } from './question.ts';
import { type Home, homeOf, type RunDirectory } from './run-directory.ts';
import type { WorkflowDefinition } from './workflow.ts';

const story: WorkflowDefinition<null, { status: 'done'; exit: 0 }> = {
  name: 'two-questions',
  async run(context) {
    await context.ask([
      { id: 'who', text: 'Who?' },
      { id: 'when', text: 'When?' },
    ]);
    return { status: 'done', exit: 0 };
  },
};

let home: Home;
let directory: RunDirectory;
let engine: Engine | undefined;

beforeEach(async () => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-asked-')));
  directory = await madeRun(home, 'r1', story.name);
});
afterEach(async () => {
  await engine?.close();
  rmSync(home.project, { recursive: true, force: true });
});

/** Works on the run until it ends or pauses, and tells what a person would have been asked. */
async function goOn(): Promise<{ kind: string; asked: string[] }> {
  engine = await embeddedEngine({ home, workflows: [story] });
  const asked: string[] = [];
  await engine.start('r1');
  const { kind } = await engine.wait('r1', {
    signal: new AbortController().signal,
    answer: async (questions) => {
      asked.push(...questions.map(({ id }) => id));
      return undefined;
    },
  });
  await engine.close();
  return { kind, asked };
}

const say = (question: string, value: string) =>
  leaveAnswers(directory, [{ question, value, source: 'person' }]);

test('of two questions only the one without an answer is asked again', async () => {
  expect(await goOn()).toEqual({ kind: 'paused', asked: ['who', 'when'] });
  await say('who', 'ann');
  expect(await goOn()).toEqual({ kind: 'paused', asked: ['when'] });
  await say('when', 'now');
  expect(await goOn()).toEqual({ kind: 'ended', asked: [] });
  expect(readQuestions(directory).answers).toEqual([
    { question: 'who', value: 'ann', source: 'person' },
    { question: 'when', value: 'now', source: 'person' },
  ]);
});

test('keeps an answer confirmed to another process over one given here before it is read', async () => {
  engine = await embeddedEngine({ home, workflows: [story] });
  await engine.start('r1');
  const { kind } = await engine.wait('r1', {
    signal: new AbortController().signal,
    answer: async (questions) => {
      await say('who', 'ann');
      return questions.map(({ id }) => ({ question: id, value: 'here', source: 'person' }));
    },
  });
  expect(kind).toBe('ended');
  expect(readQuestions(directory).answers.map(({ value }) => value)).toEqual(['ann', 'here']);
});
