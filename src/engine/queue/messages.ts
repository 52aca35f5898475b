import { isRecord } from '../../safe-json.ts';
import type { Answer } from '../question.ts';
import type { Queue } from './queue.ts';

/**
 * What a terminal wants of the worker that holds a run, wherever that is. `recommend`: from now on questions take the recommended
 * answer.
 */
export type QueueMessage =
  | { type: 'answer'; answers: Answer[] }
  | { type: 'recommend' }
  | { type: 'cancel'; reason: string };

export async function sendMessage({ pool }: Queue, run: string, message: QueueMessage): Promise<void> {
  await pool.query('INSERT INTO charrette.messages (run, body) VALUES ($1, $2)', [
    run,
    JSON.stringify(message),
  ]);
}

/** The messages to these runs, oldest first; they stay until they are removed. */
export async function readMessages(
  { pool }: Queue,
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

function isAnswer(value: unknown): value is Answer {
  return isRecord(value) && typeof value['question'] === 'string' && typeof value['value'] === 'string';
}
