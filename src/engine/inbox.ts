import { existsSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isCharretteError, toCharretteError } from '../base/errors.ts';
import { writeJsonAtomic } from '../base/files/atomic.ts';
import { isMissing, readTextFileSync } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { isAnswer } from './event-reading.ts';
import type { LiveRun } from './live-run.ts';
import type { Answer } from './question.ts';

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

/** What messages of other processes may ask for. */
export type MessageHandler = {
  start(runId: string): Promise<void>;
  /** Saves why a run did not start, for the process that follows it. `request` names the message, also when it is retried. */
  refuse(runId: string, error: unknown, request: string): Promise<void>;
  answer(runId: string, answers: readonly Answer[]): Promise<void>;
  cancel(runId: string, reason: string): Promise<unknown>;
};

const intervalMs = 250;

/**
 * Handles messages of other processes. A message is removed only after it took effect, or when it never can: neither a crash nor
 * a full disk loses one.
 */
export class InboxReader {
  readonly #inbox: string;
  readonly #live: () => Iterable<LiveRun>;
  readonly #handler: MessageHandler;
  /** Runs that were stopped for a cancel which is not saved yet. */
  readonly #ending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  constructor(inbox: string, live: () => Iterable<LiveRun>, handler: MessageHandler) {
    this.#inbox = inbox;
    this.#live = live;
    this.#handler = handler;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#read().catch(() => {}), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads all messages that are there now. */
  async readAll(): Promise<void> {
    // A reading in progress may have passed newer messages.
    await this.#reading;
    await this.#read();
  }

  /** Handles the messages to one run, up to the first that can take no effect now. */
  async readRun(runId: string, live: LiveRun): Promise<void> {
    for (const received of await readMessages(live.directory.inbox)) {
      try {
        await this.#obey(runId, received);
      } catch (error) {
        warn(live, received, error);
        if (!isRefused(error)) return;
      }
      await removeMessage(received);
    }
  }

  async #obey(runId: string, { message }: Received): Promise<void> {
    if (message.type === 'answer') await this.#handler.answer(runId, message.answers);
    if (message.type !== 'cancel') return;
    this.#ending.add(runId);
    await this.#handler.cancel(runId, message.reason);
    this.#ending.delete(runId);
  }

  /** A run that does not start says why; when that finds no room, it is tried again. */
  #isTaken({ file, message }: Received): Promise<boolean> {
    if (message.type !== 'run') return Promise.resolve(true);
    return this.#handler
      .start(message.run)
      .catch((error) => this.#handler.refuse(message.run, error, path.basename(file, '.json')))
      .then(
        () => true,
        () => false,
      );
  }

  #read(): Promise<void> {
    this.#reading ??= this.#takeMessages().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #takeMessages(): Promise<void> {
    for (const received of await readMessages(this.#inbox)) {
      if (await this.#isTaken(received)) await removeMessage(received);
    }
    for (const live of this.#live()) {
      const { id } = live.directory;
      if (!live.stopping || this.#ending.has(id)) await this.readRun(id, live);
    }
  }
}

/** Whether the message itself is unusable; everything else may pass. */
function isRefused(error: unknown): boolean {
  return isCharretteError(error) && error.code === 'usage';
}

/** Said once; a full disk has no room for it either. */
function warn(live: LiveRun, { file }: Received, error: unknown): void {
  const { message } = toCharretteError(error);
  try {
    live.events.emit(`inbox:${file}`, { type: 'warning', text: message });
  } catch {}
}
