import path from 'node:path';
import type { ModelMessage } from 'ai';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';

const fileName = 'conversation.json';

/** Keeps a conversation in the lane; its file is the session handle, and it is never changed again. */
export async function saveConversation(
  laneDirectory: string,
  messages: readonly ModelMessage[],
): Promise<string> {
  const file = path.resolve(laneDirectory, fileName);
  await writeJsonAtomic(file, { version: 1, messages });
  return file;
}

/** The messages of an earlier session, or `undefined` when the handle leads nowhere. */
export async function loadConversation(session: string): Promise<ModelMessage[] | undefined> {
  if (!path.isAbsolute(session) || path.basename(session) !== fileName) return undefined;
  const text = await readTextFile(session).catch(() => undefined);
  const reading = text === undefined ? undefined : readJson(text);
  if (!reading?.ok || !isRecord(reading.value)) return undefined;
  const { version, messages } = reading.value;
  // Written by us; the SDK checks the messages once more before it sends them.
  return version === 1 && Array.isArray(messages) ? (messages as ModelMessage[]) : undefined;
}
