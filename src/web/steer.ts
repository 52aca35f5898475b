import { readEvents } from '../engine/event-log.ts';
import { leaveMessage } from '../engine/inbox.ts';
import { type Answer, checkAnswer, readQuestions } from '../engine/question.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import { isFinal, isLive, type RunRecord, readRunRecord, updateRunRecord } from '../engine/run-record.ts';
import { CharretteError } from '../errors.ts';
import { beginRun } from '../mcp/begin.ts';
import type { ServerContext } from '../mcp/tool.ts';
import { isRecord } from '../safe-json.ts';

export type Steered = { run: string; status: string };

const longestAnswer = 20_000;

/** Answers questions as `charrette answer` does; a run that nobody works on goes on in a process of its own. */
export async function answerRun(
  directory: RunDirectory,
  body: unknown,
  context: ServerContext,
): Promise<Steered> {
  const record = await openRecord(directory);
  const answers = readAnswers(body);
  const { questions } = readQuestions(directory);
  for (const { question: id, value } of answers) {
    const question = questions.find((candidate) => candidate.id === id);
    if (question === undefined)
      throw new CharretteError({ code: 'usage', message: `The run does not ask ${JSON.stringify(id)}.` });
    checkAnswer(question, value);
  }
  await leaveMessage(directory.inbox, { type: 'answer', answers });
  return isLive(record) ? { run: directory.id, status: record.status } : goOn(directory, context);
}

export async function resumeRun(directory: RunDirectory, context: ServerContext): Promise<Steered> {
  const record = await readRunRecord(directory);
  if (isLive(record) || ['done', 'not-accepted', 'cancelled'].includes(record.status))
    throw new CharretteError({ code: 'usage', message: `The run cannot be resumed: ${record.status}.` });
  return goOn(directory, context);
}

export async function cancelRun(directory: RunDirectory): Promise<Steered> {
  const record = await openRecord(directory);
  if (isLive(record))
    await leaveMessage(directory.inbox, { type: 'cancel', reason: 'cancelled on the page' });
  else await updateRunRecord(directory, { status: 'cancelled', exit: 1, ended: new Date().toISOString() });
  return { run: directory.id, status: isLive(record) ? 'running' : 'cancelled' };
}

async function goOn(directory: RunDirectory, context: ServerContext): Promise<Steered> {
  const seen = readEvents(directory.events).length;
  const { status } = await beginRun(['resume', directory.id], context, seen);
  return { run: directory.id, status };
}

async function openRecord(directory: RunDirectory): Promise<RunRecord> {
  const record = await readRunRecord(directory);
  if (!isFinal(record.status)) return record;
  throw new CharretteError({ code: 'usage', message: `The run has ended: ${record.status}.` });
}

function readAnswers(body: unknown): Answer[] {
  const given = isRecord(body) && isRecord(body['answers']) ? Object.entries(body['answers']) : [];
  const answers = given.flatMap(([question, value]): Answer[] =>
    typeof value === 'string' && value.length <= longestAnswer ? [{ question, value, source: 'person' }] : [],
  );
  if (answers.length > 0 && answers.length === given.length) return answers;
  throw new CharretteError({
    code: 'usage',
    message: 'The body must be {"answers": {"<question>": "<answer>"}} with at least one answer.',
  });
}
