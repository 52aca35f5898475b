import type postgres from 'pg';
import { isRecord } from '../../base/safe-json.ts';
import { isAnswer } from '../event-reading.ts';
import { type Answer, parseQuestions } from '../question.ts';
import { locks, type Queue } from './queue.ts';

/**
 * What a terminal wants of the worker that holds a run, wherever that is. `recommend`: from now on questions take the recommended
 * answer.
 */
export type QueueMessage =
  | { type: 'answer'; answers: Answer[] }
  | { type: 'recommend' }
  | { type: 'cancel'; reason: string };

type Messages = { pool: Queue['pool'] | postgres.PoolClient };

export async function sendMessage({ pool }: Messages, run: string, message: QueueMessage): Promise<void> {
  await pool.query('INSERT INTO charrette.messages (run, body) VALUES ($1, $2)', [
    run,
    JSON.stringify(message),
  ]);
}

/**
 * Sends the answers that are new, given what was answered before and what waits; gives them back. One after another: two that
 * both saw an open question would both be told that their answer counts.
 */
export function sendAnswers(
  queue: Queue,
  run: string,
  choose: (told: { answered: Answer[]; waiting: QueueMessage[] }) => Answer[],
): Promise<Answer[]> {
  return queue.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [locks.answers, run]);
    const messages = await readMessages({ pool: client }, [run]);
    // After the messages: what a worker takes is in the store before its message goes.
    const { rows } = await client.query(
      "SELECT bytes FROM charrette.files WHERE run = $1 AND path = 'questions.json'",
      [run],
    );
    const { answers: answered } = parseQuestions(run, String(rows[0]?.bytes ?? ''));
    const answers = choose({ answered, waiting: messages.flatMap(({ message }) => message ?? []) });
    if (answers.length > 0) await sendMessage({ pool: client }, run, { type: 'answer', answers });
    return answers;
  });
}

/** The messages to these runs, oldest first; they stay until they are removed. */
export async function readMessages(
  { pool }: Messages,
  runs: readonly string[],
): Promise<{ id: string; run: string; message: QueueMessage | undefined }[]> {
  if (runs.length === 0) return [];
  const { rows } = await pool.query(
    'SELECT id, run, body FROM charrette.messages WHERE run = ANY($1) ORDER BY id',
    [runs],
  );
  return rows.map((row) => ({ id: String(row.id), run: String(row.run), message: messageOf(row.body) }));
}

export async function removeMessage({ pool }: Queue, id: string): Promise<void> {
  await pool.query('DELETE FROM charrette.messages WHERE id = $1', [id]);
}

function messageOf(body: unknown): QueueMessage | undefined {
  if (!isRecord(body)) return undefined;
  const { type, answers, reason } = body;
  if (type === 'recommend') return { type };
  if (type === 'cancel') return { type, reason: String(reason) };
  if (type === 'answer' && Array.isArray(answers) && answers.every(isAnswer)) return { type, answers };
  return undefined;
}
