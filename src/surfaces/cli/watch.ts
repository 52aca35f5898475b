import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { openQuestions } from '../../engine/answers.ts';
import { onOtherHost, removeIfGone } from '../../engine/engine-errors.ts';
import { followEvents } from '../../engine/follow.ts';
import { foreignHold, isLive } from '../../engine/liveness.ts';
import type { Home, RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { makeAnswerHere } from './answer-here.ts';
import type { CommandResult, CommandSpec, Invocation } from './command.ts';
import { followQueued } from './follow-queued.ts';
import { withDocument } from './live/final-document.ts';
import { openRunView, type RunView } from './live/run-view.ts';
import { findHome, findRun } from './project.ts';
import { shownStatus } from './run-list.ts';
import { stopExit, throwTimeLimit } from './stopped.ts';
import { tell } from './tell.ts';
import { howToAnswer, tellQuestions } from './tell-questions.ts';

/** Nobody works on the run any more, and no worker will. */
function isLeft(record: RunRecord, directory: RunDirectory): boolean {
  return isFinal(record.status) || (!isLive(record, directory) && !isAwaited(record));
}

/** A queued run that nobody has will be taken, or taken over. One that never got into the queue will not. */
function isAwaited({ queue, status }: RunRecord): boolean {
  return queue !== undefined && !isFinal(status) && status !== 'stopped';
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
    const record = await readRunRecord(directory);
    const { queue, status } = record;
    tellOtherHost(record, directory, invocation);
    const view = await openRunView(global, terminal, { signal });
    const over = new AbortController();
    const isQueued = queue !== undefined && !isFinal(status);
    const following = isQueued ? followQueued(home, directory.id, invocation, over.signal) : undefined;
    // Awaited below; until then its failure only ends the watching.
    following?.catch(() => over.abort());
    try {
      await showEvents(home, directory, invocation, view, over.signal);
    } finally {
      over.abort();
    }
    await following;
    return describe(directory, await readRunRecord(directory), view.live, invocation);
  },
};

/** Nobody here sees whether a process on another host still works; what is known of it is said before it is waited for. */
function tellOtherHost(record: RunRecord, directory: RunDirectory, { terminal, global }: Invocation): void {
  const hold = foreignHold(record, directory);
  if (hold === undefined || global.quiet) return;
  const { holder, file } = hold;
  tell(terminal, `The run is held by ${onOtherHost(holder, file)}; ${removeIfGone(file)}`);
}

/** Shows the events of a run until it has ended or nobody works on it any more. */
async function showEvents(
  home: Home,
  directory: RunDirectory,
  invocation: Invocation,
  view: RunView,
  over: AbortSignal,
): Promise<void> {
  const events = followEvents(directory.events, {
    signal: AbortSignal.any([invocation.signal, over]),
    until: async () => isLeft(await readRunRecord(directory), directory),
  });
  const person = makeAnswerHere(home, directory, invocation, view);
  try {
    for await (const event of events) {
      view.report(event);
      person.hear(event);
    }
  } finally {
    await person.end();
    view.close();
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
  const status = shownStatus(record, directory);
  if (isFinal(record.status)) {
    const exit = (record.exit ?? exitCodes.failed) as ExitCode;
    const result: CommandResult = { exit, json: { run, status }, streamed: true };
    return isLiveView ? withDocument(result, directory, record, invocation) : result;
  }
  if (signal.aborted && (isLive(record, directory) || isAwaited(record))) {
    const next = `charrette watch ${run}`;
    const hold = foreignHold(record, directory);
    const state =
      hold === undefined ? 'The run goes on' : `The run is held by ${onOtherHost(hold.holder, hold.file)}`;
    throwTimeLimit(signal, `Give --timeout more seconds, or go on watching with \`${next}\`.`, ` ${state}.`);
    tell(terminal, `${state}; follow it with \`${next}\`.`);
    return { exit: stopExit(signal), json: { run, status }, streamed: true };
  }
  const resume = `charrette resume ${run}`;
  const questions = openQuestions(directory);
  tell(terminal, `The run is ${status}. ${howToAnswer(run, questions)}`);
  await tellQuestions(run, questions, terminal);
  return { exit: exitCodes.paused, json: { run, status, questions, resume }, streamed: true };
}
