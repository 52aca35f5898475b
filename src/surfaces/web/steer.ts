import { CharretteError } from '../../base/errors.ts';
import { isRecord } from '../../base/safe-json.ts';
import { heldElsewhere } from '../../engine/engine-errors.ts';
import { foreignHold, isLive } from '../../engine/liveness.ts';
import { readQuestions } from '../../engine/question.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { command as cancelCommand } from '../cli/cancel.ts';
import { answerRun, goOn, type RunAnswer } from '../mcp/answer-run.ts';
import { callCommand } from '../mcp/call-command.ts';
import type { ServerContext } from '../mcp/tool.ts';

export type Steered = { run: string; status: string };

const longestAnswer = 20_000;
/** A run takes a moment to end its agents; the page hears of the end in any case. */
const endMs = 10_000;

/** Answers questions as `charrette answer` does, but only those that were asked. */
export async function answerQuestions(
  directory: RunDirectory,
  body: unknown,
  context: ServerContext,
): Promise<Steered> {
  await readRunRecord(directory);
  const answers = readAnswers(body);
  const { questions } = readQuestions(directory);
  const strange = answers.find(({ question }) => !questions.some(({ id }) => id === question));
  if (strange !== undefined)
    throw new CharretteError({
      code: 'usage',
      message: `The run does not ask ${JSON.stringify(strange.question)}.`,
    });
  const { run, status } = await answerRun(directory, answers, {
    context,
    // What a person sent is done, also when they are gone by then.
    signal: new AbortController().signal,
  });
  return { run, status };
}

export async function resumeRun(directory: RunDirectory, context: ServerContext): Promise<Steered> {
  const record = await readRunRecord(directory);
  const hold = foreignHold(record, directory);
  if (hold !== undefined) throw heldElsewhere(directory.id, hold.holder, hold.file);
  if (isLive(record, directory) || ['done', 'not-accepted', 'cancelled'].includes(record.status))
    throw new CharretteError({ code: 'usage', message: `The run cannot be resumed: ${record.status}.` });
  const { run, status } = await goOn(directory, { context });
  return { run, status };
}

/** Ends a run as `charrette cancel` does, wherever it is worked on. */
export async function cancelRun(directory: RunDirectory, context: ServerContext): Promise<Steered> {
  await readRunRecord(directory);
  const signal = AbortSignal.timeout(endMs);
  await callCommand(cancelCommand, { arguments: [directory.id], options: {} }, { context, signal });
  const { status } = await readRunRecord(directory);
  return { run: directory.id, status };
}

function readAnswers(body: unknown): RunAnswer[] {
  const given = isRecord(body) && isRecord(body['answers']) ? Object.entries(body['answers']) : [];
  const answers = given.flatMap(([question, value]): RunAnswer[] =>
    typeof value === 'string' && value.length <= longestAnswer ? [{ question, value }] : [],
  );
  if (answers.length > 0 && answers.length === given.length) return answers;
  throw new CharretteError({
    code: 'usage',
    message: 'The body must be {"answers": {"<question>": "<answer>"}} with at least one answer.',
  });
}
