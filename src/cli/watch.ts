import { setTimeout as sleep } from 'node:timers/promises';
import { openQuestions } from '../engine/answers.ts';
import { followEvents } from '../engine/follow.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import { isFinal, isLive, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { type ExitCode, exitCodes } from '../error-table.ts';
import { makeAnswerHere } from './answer-here.ts';
import type { CommandResult, CommandSpec, Invocation } from './command.ts';
import { followQueued } from './follow-queued.ts';
import { withDocument } from './live/final-document.ts';
import { openRunView, type RunView } from './live/run-view.ts';
import { findHome, findRun } from './project.ts';
import { shownStatus } from './run-list.ts';
import { settledRecord } from './settled-record.ts';
import { stopExit, throwTimeLimit } from './stopped.ts';
import { tell } from './tell.ts';
import { howToAnswer, tellQuestions } from './tell-questions.ts';

/** A queued run that nobody has yet will be taken, or taken over. */
function isAwaited({ queue, status }: RunRecord): boolean {
  return queue !== undefined && !isFinal(status) && status !== 'paused' && status !== 'stopped';
}

export const command: CommandSpec = {
  name: 'watch',
  summary: 'Follow a run of this or another process until it ends',
  examples: [
    ['charrette watch', 'the latest run, from its beginning'],
    ['charrette watch latest --plain', 'as lines instead of a picture'],
    ['charrette watch latest --output stream-json', 'its events, one JSON document a line'],
  ],
  dryRun: 'reads',
  arguments: [['[run]', 'run id, an unambiguous part of it, or latest']],
  async run(invocation) {
    const {
      arguments: [name],
      global,
      terminal,
      signal,
    } = invocation;
    const home = findHome(global.cwd);
    const directory = await findRun(home, name as string | undefined);
    // A record that cannot be read is said before anything is shown.
    const queued = isAwaited(await readRunRecord(directory));
    const view = await openRunView(global, terminal, { signal });
    const idle = new AbortController();
    const beside = Promise.all([
      untilIdle(directory, idle),
      queued ? followQueued(home, directory.id, invocation, idle.signal) : undefined,
    ]);
    // Awaited below; until then its failure only ends the watching.
    beside.catch(() => idle.abort());
    const record = await (async () => {
      try {
        const isOver = await showEvents(directory, invocation, view, idle.signal);
        return isOver ? await settledRecord(directory, signal) : undefined;
      } finally {
        idle.abort();
      }
    })();
    await beside;
    return describe(directory, record ?? (await readRunRecord(directory)), view.live, invocation);
  },
};

/** Shows the events of a run until it ends or nobody works on it any more; true: it has ended. */
async function showEvents(
  directory: RunDirectory,
  invocation: Invocation,
  view: RunView,
  idle: AbortSignal,
): Promise<boolean> {
  const events = followEvents(directory.events, {
    signal: AbortSignal.any([invocation.signal, idle]),
    until: (event) => event.type === 'run-end',
  });
  const person = makeAnswerHere(directory, invocation, view);
  let isOver = false;
  try {
    for await (const event of events) {
      view.report(event);
      person.hear(event);
      isOver = event.type === 'run-end';
    }
  } finally {
    await person.end();
    view.close();
  }
  return isOver;
}

async function untilIdle(directory: RunDirectory, idle: AbortController): Promise<void> {
  while (!idle.signal.aborted) {
    const record = await readRunRecord(directory);
    // Give the last events of a run that nobody works on any more time to be read.
    if (!isLive(record) && !isAwaited(record)) setTimeout(() => idle.abort(), 300);
    await sleep(500, undefined, { signal: idle.signal }).catch(() => {});
  }
}

/** How the run stands now that the watching is over. One that waits for somebody ends it as a pause does. */
async function describe(
  directory: RunDirectory,
  record: RunRecord,
  isLiveView: boolean,
  invocation: Invocation,
): Promise<CommandResult> {
  const { signal, terminal } = invocation;
  const run = directory.id;
  const status = shownStatus(record);
  if (isFinal(record.status)) {
    const exit = (record.exit ?? exitCodes.failed) as ExitCode;
    const result: CommandResult = { exit, json: { run, status }, streamed: true };
    return isLiveView ? withDocument(result, directory, record, invocation) : result;
  }
  if (signal.aborted && (isLive(record) || isAwaited(record))) {
    const next = `charrette watch ${run}`;
    throwTimeLimit(
      signal,
      `Give --timeout more seconds, or go on watching with \`${next}\`.`,
      ' The run goes on.',
    );
    tell(terminal, `The run goes on; follow it with \`${next}\`.`);
    return { exit: stopExit(signal), json: { run, status }, streamed: true };
  }
  const resume = `charrette resume ${run}`;
  const questions = openQuestions(directory);
  tell(terminal, `The run is ${status}. ${howToAnswer(run, questions)}`);
  await tellQuestions(run, questions, terminal);
  return { exit: exitCodes.paused, json: { run, status, questions, resume }, streamed: true };
}
