import { toCharretteError } from '../../base/errors.ts';
import type { RunEvent } from '../../engine/event.ts';
import { isLive } from '../../engine/liveness.ts';
import { type Question, readQuestions, unanswered } from '../../engine/question.ts';
import type { Home, RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, readRunRecord } from '../../engine/run-record.ts';
import { answerOpen } from './answer-open.ts';
import { makeAnswerProvider } from './ask.ts';
import type { Invocation } from './command.ts';
import type { RunView } from './live/run-view.ts';
import { answerQueued } from './queue-run.ts';
import { tell } from './tell.ts';

/**
 * Lets a person who watches a run of another process answer its questions. The dialogue goes away as soon as
 * somebody else has answered; whoever breaks it off goes on watching.
 */
export function makeAnswerHere(
  home: Home,
  directory: RunDirectory,
  invocation: Invocation,
  view: RunView,
): { hear(event: RunEvent): void; end(): Promise<void> } {
  const { global, terminal, signal } = invocation;
  const answer = makeAnswerProvider(global, terminal, new Map());
  let asking: { stop: AbortController; done: Promise<void> } | undefined;
  const say = (text: string) => view.aside(async () => tell(terminal, text));
  const talk = async (stop: AbortSignal) => {
    const ask = (open: Question[]) => view.aside(() => answer(open, AbortSignal.any([signal, stop])));
    const record = await readRunRecord(directory);
    if (record.queue === undefined || isFinal(record.status)) {
      if (isLive(record, directory)) await answerOpen(directory, ask, say);
      return;
    }
    const open = unanswered(readQuestions(directory));
    const answers = open.length === 0 ? undefined : await ask(open);
    // Somebody else was faster, or the store does not answer: the watching goes on.
    if (answers !== undefined)
      await answerQueued(home, directory.id, answers, invocation).catch((error) =>
        say(toCharretteError(error).message),
      );
  };
  return {
    hear({ type }) {
      if (type === 'question-answer' || type === 'run-pause' || type === 'run-end') asking?.stop.abort();
      if (type !== 'question-ask' || !global.input || !view.live || global.dryRun) return;
      const before = asking;
      before?.stop.abort();
      const stop = new AbortController();
      const done = (before?.done ?? Promise.resolve()).then(() => talk(stop.signal));
      // Thrown again when the watching ends.
      done.catch(() => {});
      asking = { stop, done };
    },
    async end() {
      asking?.stop.abort();
      await asking?.done;
    },
  };
}
