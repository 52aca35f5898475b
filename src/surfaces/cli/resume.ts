import { CharretteError } from '../../base/errors.ts';
import { hasEnded, heldElsewhere } from '../../engine/engine-errors.ts';
import { foreignHold, isLive } from '../../engine/liveness.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { givenAnswers, remoteAnswersOption } from './ask.ts';
import type { CommandResult, CommandSpec } from './command.ts';
import { conductRun } from './conduct.ts';
import { tellEarly } from './early-note.ts';
import { findHome, findRun } from './project.ts';
import { refreshQueued } from './queue-facts.ts';
import { resumeQueued } from './resume-queued.ts';
import { shownStatus } from './run-list.ts';

export const command: CommandSpec = {
  name: 'resume',
  summary: 'Go on with a run that paused, stopped, failed or was killed',
  examples: [
    ['charrette resume', 'the latest run'],
    ['charrette resume 4f2a90c1 --answers answers.json', 'with answers to its questions'],
  ],
  arguments: [['[run]', 'run id, an unambiguous part of it, or latest']],
  options: [
    { flags: '--answers <file>', description: 'a JSON object of question → answer' },
    remoteAnswersOption,
  ],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, global } = invocation;
    const home = findHome(global.cwd);
    const directory = await findRun(home, words[0] as string | undefined);
    await refreshQueued(home, invocation, [directory.id]);
    const record = await readRunRecord(directory);
    if (record.status === 'done' || record.status === 'not-accepted' || record.status === 'cancelled')
      throw hasEnded(record);
    const given = await givenAnswers(invocation);
    tellEarly(directory, given, invocation);
    if (record.queue !== undefined)
      return global.dryRun ? wouldResume(record, directory) : resumeQueued(home, record, given, invocation);
    const hold = foreignHold(record, directory);
    if (hold !== undefined) throw heldElsewhere(directory.id, hold.holder, hold.file);
    if (isLive(record, directory)) {
      throw new CharretteError({
        code: 'usage',
        message: `The run ${directory.id} is going on in process ${record.process?.pid}.`,
        fix: `Follow it with \`charrette watch ${directory.id}\`.`,
      });
    }
    if (global.dryRun) return wouldResume(record, directory);
    return conductRun(home, directory.id, invocation, given);
  },
};

/** What going on with a run would mean; nothing of it is done. */
export function wouldResume(record: RunRecord, directory: RunDirectory): CommandResult {
  const { run, workflow, queue } = record;
  const status = shownStatus(record, directory);
  const how = queue === undefined ? 'go on with' : 'put back into the queue';
  return {
    exit: 0,
    json: { dryRun: true, run, workflow, status },
    text: `Would ${how} ${run} (${workflow}, ${status}).\n`,
  };
}
