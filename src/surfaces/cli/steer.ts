import { CharretteError } from '../../base/errors.ts';
import { hasEnded, onOtherHost } from '../../engine/engine-errors.ts';
import { isLive, lockOnOtherHost } from '../../engine/lock.ts';
import { type Answer, type QuestionFile, readQuestions, unanswered } from '../../engine/question.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { answer } from '../../service/answer.ts';
import {
  type CommandResult,
  type CommandSpec,
  type Invocation,
  printNotice,
  runArgument,
  stopExit,
  throwTimeLimit,
} from '../../service/command.ts';
import { findRun, projectOf } from '../../service/project.ts';
import { refreshQueued } from '../../service/queue-facts.ts';
import { worktreesOf } from '../../service/remove.ts';
import { cancel, shownStatus } from '../../service/runs.ts';
import { requireResumable, resumeQueued } from '../../service/start.ts';
import { givenAnswers, remoteAnswersOption } from './ask.ts';
import { answersOf, conductRun, queued, worktreeLine } from './conduct.ts';

const requiredRun = ['<run>', 'run id, an unambiguous part of it, or latest'] as const;

export const answerCommand: CommandSpec = {
  examples: [
    ['charrette answer latest scope=api', 'answer one question'],
    ['charrette answer 4f2a90c1 --file answers.json', 'answers from a file'],
  ],
  arguments: [requiredRun, ['[answers...]', '<question>=<answer>']],
  options: [
    { flags: '--file <file>', description: 'a JSON object of question → answer' },
    { flags: '--no-resume', description: 'only leave the answers; do not resume a paused run' },
  ],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, options, global } = invocation;
    const project = projectOf(invocation);
    const directory = await findRun(project, words[0] as string);
    await refreshQueued(project, [directory.id]);
    const given = await givenAnswers(invocation, 'file');
    for (const word of words[1] as string[]) given.set(...readPair(word));
    if (given.size === 0) throw await nothingGiven(directory);
    const answers = [...given].map(([question, value]): Answer => ({ question, value, source: 'person' }));
    const { record, fresh, resume, isIdle } = await answer(project, directory, answers, {
      resume: options['resume'] !== false,
      dryRun: global.dryRun,
    });
    if (global.dryRun) {
      const next = resume && !isLive(record, directory) ? ` and resume ${directory.id}` : '';
      return {
        exit: 0,
        json: { dryRun: true, run: directory.id, status: shownStatus(record, directory), answers: fresh },
        text: `Would leave ${fresh.length} answer(s)${next}.\n`,
      };
    }
    if (resume && isIdle) return conductRun(project, directory.id, invocation, given);
    const next = isIdle ? ` Run \`charrette resume ${directory.id}\` to continue.` : '';
    return {
      exit: 0,
      json: { run: directory.id, status: record.status, answers },
      text: `${fresh.length === 0 ? 'Answered already.' : `Left ${fresh.length} answer(s).`}${next}\n`,
    };
  },
};

function readPair(word: string): [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new CharretteError({
    code: 'usage',
    message: `Invalid answer ${JSON.stringify(word)}; write <question>=<answer>.`,
  });
}

async function nothingGiven(directory: RunDirectory): Promise<CharretteError> {
  const record = await readRunRecord(directory);
  if (isFinal(record.status)) return hasEnded(record);
  const open = unanswered(readQuestions(directory)).map(({ id }) => id);
  return new CharretteError({
    code: 'usage',
    message:
      open.length === 0
        ? `The run ${directory.id} asks nothing at the moment.`
        : `Open questions of ${directory.id}: ${open.join(', ')}.`,
    fix: 'Give answers as <question>=<answer>, or with --file.',
  });
}

export const resumeCommand: CommandSpec = {
  examples: [
    ['charrette resume', 'the latest run'],
    ['charrette resume 4f2a90c1 --answers answers.json', 'with answers to its questions'],
  ],
  arguments: [runArgument],
  options: [
    { flags: '--answers <file>', description: 'a JSON object of question → answer' },
    remoteAnswersOption,
  ],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, global } = invocation;
    const project = projectOf(invocation);
    const directory = await findRun(project, words[0] as string | undefined);
    await refreshQueued(project, [directory.id]);
    const record = await requireResumable(directory);
    const given = await givenAnswers(invocation);
    warnEarlyAnswers(directory, given, invocation);
    if (global.dryRun) return wouldResume(record, directory);
    if (record.queue === undefined) return conductRun(project, directory.id, invocation, given);
    const requests = { answers: answersOf(given), recommended: global.yes };
    return (await resumeQueued(project, directory, record, requests))
      ? queued(directory.id)
      : queued(directory.id, shownStatus(record, directory));
  },
};

/** What resuming a run would mean; nothing of it is done. */
export function wouldResume(record: RunRecord, directory: RunDirectory): CommandResult {
  const { run, workflow, queue } = record;
  const status = shownStatus(record, directory);
  const how = queue === undefined ? 'resume' : 'requeue';
  return {
    exit: 0,
    json: { dryRun: true, run, workflow, status },
    text: `Would ${how} ${run} (${workflow}, ${status}).\n`,
  };
}

/** Names answers whose questions were not asked: they may be asked later, or a name is mistyped. */
export function warnEarlyAnswers(
  directory: RunDirectory,
  given: ReadonlyMap<string, string>,
  { global, terminal }: Invocation,
): void {
  const note = earlyNote(readQuestions(directory), answersOf(given));
  if (note !== undefined && !global.quiet) printNotice(terminal, note);
}

function earlyNote(file: QuestionFile, fresh: readonly Answer[]): string | undefined {
  const asked = new Set(file.questions.map(({ id }) => id));
  const early = fresh.map(({ question }) => question).filter((id) => !asked.has(id));
  if (early.length === 0) return undefined;
  const open = unanswered({ ...file, answers: [...file.answers, ...fresh] }).map(({ id }) => id);
  const rest = open.length === 0 ? 'No question is open.' : `Open: ${open.join(', ')}.`;
  return `Not asked so far, and kept in case it is: ${early.join(', ')}. ${rest}`;
}

export const cancelCommand: CommandSpec = {
  examples: [['charrette cancel latest', 'end the latest run, also one of another process']],
  arguments: [requiredRun],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, global, signal } = invocation;
    const project = projectOf(invocation);
    const directory = await findRun(project, words[0] as string);
    await refreshQueued(project, [directory.id]);
    if (global.dryRun) return wouldCancel(await readRunRecord(directory), directory);
    const record = await cancel(project, directory, signal);
    if (!isFinal(record.status)) return describeCancelling(record, directory, invocation);
    const worktrees = await worktreesOf(directory);
    return {
      exit: 0,
      json: { run: directory.id, status: record.status, ...(worktrees.length === 0 ? {} : { worktrees }) },
      text: `Cancelled ${directory.id}. ${worktreeLine(worktrees)}`.trimEnd().concat('\n'),
    };
  },
};

function wouldCancel(record: RunRecord, directory: RunDirectory): CommandResult {
  if (isFinal(record.status)) throw hasEnded(record);
  const status = shownStatus(record, directory);
  const hold = lockOnOtherHost(record, directory);
  const at = hold === undefined ? `process ${record.process?.pid}` : onOtherHost(hold.holder, hold.file);
  const by = isLive(record, directory) ? ` in ${at}` : '';
  return {
    exit: 0,
    json: { dryRun: true, run: record.run, status },
    text: `Would cancel ${record.run} (${status}${by}).\n`,
  };
}

/** A signal or the time limit ended the command before the process of the run has ended it. */
function describeCancelling(
  record: RunRecord,
  directory: RunDirectory,
  { signal, terminal }: Invocation,
): CommandResult {
  const status = shownStatus(record, directory);
  const state = `The run ${record.run} received the request to end and is still ${status}.`;
  const next = `charrette show ${record.run}`;
  throwTimeLimit(signal, `Run \`${next}\` to see if it has ended.`, ` ${state}`);
  printNotice(terminal, `${state} Run \`${next}\` to see if it has ended.`);
  return { exit: stopExit(signal), json: { run: record.run, status } };
}
