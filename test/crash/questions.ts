import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodes } from '../../src/base/error-table.ts';
import { Engine } from '../../src/engine/engine.ts';
import { type Printed, perform } from './in-process.ts';
import type { Places, Story } from './stories.ts';
import { recordedAnswers } from './traces.ts';

/** Reports every question when it is asked: on a terminal you would see it now. */
export function watchQuestions(onAsk: (run: string, question: string) => void): void {
  const { conduct } = Engine.prototype;
  Engine.prototype.conduct = function watching(run, options) {
    const { answer } = options;
    return conduct.call(this, run, {
      ...options,
      answer: async (questions, signal) => {
        for (const { id } of questions) onAsk(run, id);
        return answer?.(questions, signal);
      },
    });
  };
}

/** Questions with an answer on disk: saved in the run, or in an unread message. */
export function answeredQuestions(places: Places, run: string): Set<string> {
  const directory = directoryOf(places, run);
  const inbox = path.join(directory, 'inbox');
  const names = existsSync(inbox) ? readdirSync(inbox) : [];
  const messages = names
    .filter((name) => /^\d.*\.json$/.test(name))
    .map(
      (name) =>
        JSON.parse(readFileSync(path.join(inbox, name), 'utf8')) as { answers?: { question: string }[] },
    );
  const answers = [...recordedAnswers(directory), ...messages.flatMap(({ answers: left = [] }) => left)];
  return new Set(answers.map(({ question }) => question));
}

/** Runs a command; while its run pauses, a person answers the questions that are open. */
export async function performAnswered(
  words: readonly string[],
  story: Story,
  places: Places,
  newRun: () => string | undefined,
): Promise<Printed> {
  let ended = await perform(words, places);
  while (ended.exit === exitCodes.paused) {
    const next = nextAnswer(story, places, newRun());
    if (next === undefined) break;
    ended = await perform(['answer', ...next], places);
  }
  return ended;
}

/**
 * Runs a story whose questions a person answers one by one, in every possible way: the first by a command that resumes the run, the
 * second by one that only leaves the answer, all others while the run waits.
 */
export async function performAnsweredInManyWays(
  story: Story,
  places: Places,
  run: () => string | undefined,
): Promise<Printed> {
  const paused = await perform(story.command, places);
  const first = paused.exit === exitCodes.paused ? nextAnswer(story, places, run()) : undefined;
  if (first === undefined) return paused;
  const pausedAgain = await perform(['answer', ...first], places);
  const second = pausedAgain.exit === exitCodes.paused ? nextAnswer(story, places, run()) : undefined;
  if (second === undefined) return pausedAgain;
  await perform(['answer', ...second, '--no-resume'], places);
  let over = false;
  const waiting = perform(['resume', run() ?? '', '--remote-answers'], places).finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const next = over ? undefined : nextAnswer(story, places, run());
    if (next !== undefined) await perform(['answer', ...next], places);
  }
  return waiting;
}

/** The run and what the story says to the first of its questions that has no answer; nothing: none is open. */
function nextAnswer(
  { name, answers = {} }: Story,
  places: Places,
  run: string | undefined,
): [run: string, answer: string] | undefined {
  if (run === undefined) return undefined;
  const file = path.join(directoryOf(places, run), 'questions.json');
  if (!existsSync(file)) return undefined;
  const { questions } = JSON.parse(readFileSync(file, 'utf8')) as { questions: { id: string }[] };
  const given = answeredQuestions(places, run);
  const open = questions.find(({ id }) => !given.has(id));
  if (open === undefined) return undefined;
  const value = answers[open.id];
  if (value === undefined) throw new Error(`the story ${name} has no answer to ${open.id}`);
  return [run, `${open.id}=${value}`];
}

function directoryOf({ project }: Places, run: string): string {
  return path.join(project, '.charrette', 'runs', run);
}
