import { CharretteError } from '../../base/errors.ts';
import { hasEnded } from '../../engine/engine-errors.ts';
import { isLive } from '../../engine/liveness.ts';
import { type Answer, readQuestions, unanswered } from '../../engine/question.ts';
import { isFinal, readRunRecord } from '../../engine/run-record.ts';
import { givenAnswers } from './ask.ts';
import type { CommandSpec } from './command.ts';
import { conductRun } from './conduct.ts';
import { handOver } from './hand-over.ts';
import { findHome, findRun } from './project.ts';
import { refreshQueued } from './queue-facts.ts';
import { shownStatus } from './run-list.ts';

export const command: CommandSpec = {
  name: 'answer',
  summary: 'Answer the questions of a run; a paused one continues',
  examples: [
    ['charrette answer latest scope=api', 'answer one question'],
    ['charrette answer 4f2a90c1 --file answers.json', 'answers from a file'],
  ],
  arguments: [
    ['<run>', 'run id, an unambiguous part of it, or latest'],
    ['[answers...]', '<question>=<answer>'],
  ],
  options: [
    { flags: '--file <file>', description: 'a JSON object of question → answer' },
    { flags: '--no-resume', description: 'only leave the answers; do not resume a paused run' },
  ],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, options, global } = invocation;
    const home = findHome(global.cwd);
    const directory = await findRun(home, words[0] as string);
    await refreshQueued(home, invocation, [directory.id]);
    const given = await givenAnswers(invocation, 'file');
    for (const word of words[1] as string[]) given.set(...readPair(word));
    if (given.size === 0) {
      const before = await readRunRecord(directory);
      if (isFinal(before.status)) throw hasEnded(before);
      throw nothingGiven(
        directory.id,
        unanswered(readQuestions(directory)).map((question) => question.id),
      );
    }
    const answers = [...given].map(([question, value]): Answer => ({ question, value, source: 'person' }));
    const wantsResume = options['resume'] !== false;
    const { record, fresh, resume } = await handOver(home, directory, answers, wantsResume, invocation);
    if (global.dryRun) {
      const next = resume && !isLive(record, directory) ? ` and go on with ${directory.id}` : '';
      return {
        exit: 0,
        json: { dryRun: true, run: directory.id, status: shownStatus(record, directory), answers: fresh },
        text: `Would leave ${fresh.length} answer(s)${next}.\n`,
      };
    }
    if (record.queue !== undefined || isLive(record, directory) || !resume) {
      const idle = record.queue === undefined && !isLive(record, directory);
      const next = idle ? ` Run \`charrette resume ${directory.id}\` to continue.` : '';
      return {
        exit: 0,
        json: { run: directory.id, status: record.status, answers },
        text: `${fresh.length === 0 ? 'Answered already.' : `Left ${fresh.length} answer(s).`}${next}\n`,
      };
    }
    return conductRun(home, directory.id, invocation, given);
  },
};

function readPair(word: string): [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new CharretteError({
    code: 'usage',
    message: `${JSON.stringify(word)} is no answer; write <question>=<answer>.`,
  });
}

function nothingGiven(run: string, open: readonly string[]): CharretteError {
  return new CharretteError({
    code: 'usage',
    message:
      open.length === 0
        ? `The run ${run} asks nothing at the moment.`
        : `Open questions of ${run}: ${open.join(', ')}.`,
    fix: 'Give answers as <question>=<answer>, or with --file.',
  });
}
