import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { toCharretteError } from '../../base/errors.ts';
import { onOtherHost, removeIfGone } from '../../engine/engine-errors.ts';
import type { RunEvent } from '../../engine/event.ts';
import { isLive, lockOnOtherHost } from '../../engine/lock.ts';
import { type Question, readQuestions, unanswered } from '../../engine/question.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { answerOpen, openQuestions } from '../../service/answer.ts';
import {
  type CommandResult,
  type CommandSpec,
  type Invocation,
  printNotice,
  runArgument,
  stopExit,
  throwTimeLimit,
} from '../../service/command.ts';
import { findRun, type Project, projectOf } from '../../service/project.ts';
import { shownStatus } from '../../service/runs.ts';
import { isAwaited, watchRun } from '../../service/watch.ts';
import { makeAnswerProvider } from './ask.ts';
import { howToAnswer, printQuestions } from './conduct.ts';
import { withDocument } from './live/final-document.ts';
import { openRunView, type RunView } from './reporter.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette watch', 'the latest run, from its beginning'],
    ['charrette watch latest --plain', 'as lines instead of a picture'],
    ['charrette watch latest --output stream-json', 'its events, one JSON document a line'],
  ],
  dryRun: 'reads',
  arguments: [runArgument],
  async run(invocation) {
    const { arguments: words, global, terminal, signal } = invocation;
    const project = projectOf(invocation);
    const directory = await findRun(project, words[0] as string | undefined);
    // A record that cannot be read is reported before anything is shown.
    warnOtherHost(await readRunRecord(directory), directory, invocation);
    const view = await openRunView(global, terminal, { signal });
    const events = watchRun(project, directory, {
      signal,
      notify: (sentence) => {
        if (!global.quiet) printNotice(terminal, sentence);
      },
    });
    const person = makeAnswerHere(project, directory, invocation, view);
    try {
      for await (const event of events) {
        view.report(event);
        person.hear(event);
      }
    } finally {
      await person.end();
      view.close();
    }
    return describe(directory, await readRunRecord(directory), view.live, invocation);
  },
};

/** This host cannot tell whether a process on another host still works; what is known of it is reported before waiting. */
function warnOtherHost(record: RunRecord, directory: RunDirectory, { terminal, global }: Invocation): void {
  const hold = lockOnOtherHost(record, directory);
  if (hold === undefined || global.quiet) return;
  const { holder, file } = hold;
  printNotice(terminal, `The run is held by ${onOtherHost(holder, file)}; ${removeIfGone(file)}`);
}

/**
 * Lets the user who watches a run of another process answer its questions. The dialogue closes as soon as another user has
 * answered; cancelling it continues the watching.
 */
export function makeAnswerHere(
  project: Project,
  directory: RunDirectory,
  invocation: Invocation,
  view: RunView,
): { hear(event: RunEvent): void; end(): Promise<void> } {
  const { global, terminal, signal } = invocation;
  const answer = makeAnswerProvider(global, terminal, new Map());
  let asking: { stop: AbortController; done: Promise<void> } | undefined;
  const notify = (sentence: string) => view.aside(async () => printNotice(terminal, sentence));
  const talk = async (stop: AbortSignal) => {
    const ask = (open: Question[]) => view.aside(() => answer(open, AbortSignal.any([signal, stop])));
    const record = await readRunRecord(directory);
    if (record.queue === undefined || isFinal(record.status)) {
      if (isLive(record, directory)) await answerOpen(directory, ask, notify);
      return;
    }
    const open = unanswered(readQuestions(directory));
    const answers = open.length === 0 ? undefined : await ask(open);
    if (answers === undefined) return;
    const { answerQueued } = await import('../../service/queue.ts');
    // Another user was faster, or the database cannot be reached: the watching continues.
    await answerQueued(project, directory, answers).catch((error) => notify(toCharretteError(error).message));
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

/** The state of the run at the end of the watching. A run that waits for a person ends it as a pause does. */
async function describe(
  directory: RunDirectory,
  record: RunRecord,
  isLiveView: boolean,
  invocation: Invocation,
): Promise<CommandResult> {
  const { signal, terminal } = invocation;
  const run = directory.id;
  const status = shownStatus(record, directory);
  if (isFinal(record.status)) {
    const exit = (record.exit ?? exitCodes.failed) as ExitCode;
    const { degraded } = record;
    const json = { run, status, ...(degraded === undefined ? {} : { degraded }) };
    const result: CommandResult = { exit, json, streamed: true };
    return isLiveView ? withDocument(result, directory, record, invocation) : result;
  }
  if (signal.aborted && (isLive(record, directory) || isAwaited(record))) {
    const next = `charrette watch ${run}`;
    const hold = lockOnOtherHost(record, directory);
    const state =
      hold === undefined ? 'The run continues' : `The run is held by ${onOtherHost(hold.holder, hold.file)}`;
    throwTimeLimit(signal, `Give --timeout more seconds, or continue with \`${next}\`.`, ` ${state}.`);
    printNotice(terminal, `${state}; follow it with \`${next}\`.`);
    return { exit: stopExit(signal), json: { run, status }, streamed: true };
  }
  const resume = `charrette resume ${run}`;
  const questions = openQuestions(directory);
  printNotice(terminal, `The run is ${status}. ${howToAnswer(run, questions)}`);
  await printQuestions(run, questions, terminal);
  return { exit: exitCodes.paused, json: { run, status, questions, resume }, streamed: true };
}
