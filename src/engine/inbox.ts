import { existsSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { writeJsonAtomic } from '../base/files/atomic.ts';
import { readTextFileSync } from '../base/files/bounded.ts';
import { isMissing } from '../base/files/contained.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import type { Answer } from './question.ts';
import { isAnswer } from './shapes.ts';

/** What another process leaves for the one that holds a run. */
export type Message =
  | { type: 'answer'; answers: Answer[] }
  | { type: 'cancel'; reason: string }
  /** In the project's inbox: start or resume this run for me. */
  | { type: 'run'; run: string };

export type Received = { file: string; message: Message };

let counter = 0;

/**
 * Leaves a message; the name sorts by time, so messages are read in the order in which they were left. Messages that a clock
 * since set back put into the future stay older.
 */
export async function leaveMessage(inbox: string, message: Message): Promise<void> {
  counter += 1;
  const waiting = existsSync(inbox) ? readdirSync(inbox).map((name) => Number.parseInt(name, 10) || 0) : [];
  const name = `${Math.max(Date.now(), ...waiting.map((stamp) => stamp + 1))}-${process.pid}-${String(counter).padStart(4, '0')}.json`;
  await writeJsonAtomic(path.join(inbox, name), { schemaVersion: 1, ...message });
}

/** The waiting messages, oldest first, for readers that do not hold the inbox: messages may disappear meanwhile. */
export function peekMessages(inbox: string): Message[] {
  if (!existsSync(inbox)) return [];
  return messageNames(inbox).flatMap((name) => {
    const message = parseMessage(readTextFileSync(path.join(inbox, name)) ?? '');
    return message === undefined ? [] : [message];
  });
}

/**
 * The waiting messages, oldest first. An unreadable one is set aside with a `.bad` ending, not lost; messages that another
 * reader handled or set aside meanwhile are skipped.
 */
export async function readMessages(inbox: string): Promise<Received[]> {
  if (!existsSync(inbox)) return [];
  const received: Received[] = [];
  for (const name of messageNames(inbox)) {
    const file = path.join(inbox, name);
    const text = readTextFileSync(file);
    if (text === undefined) continue;
    const message = parseMessage(text);
    if (message === undefined) await rename(file, `${file}.bad`).catch(unlessMissing);
    else received.push({ file, message });
  }
  return received;
}

export async function removeMessage(received: Received): Promise<void> {
  await rm(received.file, { force: true });
}

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

function messageNames(inbox: string): string[] {
  return readdirSync(inbox)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort();
}

function parseMessage(text: string): Message | undefined {
  const reading = readJson(text);
  if (!reading.ok || !isRecord(reading.value)) return undefined;
  const { type, answers, reason, run } = reading.value;
  if (type === 'cancel') return { type, reason: typeof reason === 'string' ? reason : 'cancelled' };
  if (type === 'run' && typeof run === 'string') return { type, run };
  if (type === 'answer' && Array.isArray(answers) && answers.every(isAnswer)) return { type, answers };
  return undefined;
}
