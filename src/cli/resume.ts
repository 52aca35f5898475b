import { isLive, readRunRecord } from '../engine/run-record.ts';
import { CharretteError } from '../errors.ts';
import { readAnswerFile, remoteAnswersOption } from './ask.ts';
import type { CommandSpec } from './command.ts';
import { conductRun } from './conduct.ts';
import { findHome, findRun } from './project.ts';
import { refreshQueued } from './queue-facts.ts';
import { heldByWorker, queueAgain, queued } from './queue-run.ts';

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
  async run(invocation) {
    const { arguments: words, options, global } = invocation;
    const home = findHome(global.cwd);
    const directory = await findRun(home, words[0] as string | undefined);
    await refreshQueued(home, invocation, [directory.id]);
    const record = await readRunRecord(directory);
    if (record.status === 'done' || record.status === 'not-accepted' || record.status === 'cancelled') {
      throw new CharretteError({
        code: 'usage',
        message: `The run ${directory.id} has ended: ${record.status}.`,
        fix: `Look at it with \`charrette show ${directory.id}\`.`,
      });
    }
    if (isLive(record)) {
      throw new CharretteError({
        code: 'usage',
        message: `The run ${directory.id} is going on in process ${record.process?.pid}.`,
        fix: `Follow it with \`charrette watch ${directory.id}\`.`,
      });
    }
    if (record.queue !== undefined && (await queueAgain(home, directory.id, invocation)))
      return queued(directory.id);
    if (record.queue !== undefined) throw heldByWorker(directory.id);
    const given =
      typeof options['answers'] === 'string'
        ? await readAnswerFile(options['answers'])
        : new Map<string, string>();
    return conductRun(home, directory.id, invocation, given);
  },
};
