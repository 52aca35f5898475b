import path from 'node:path';
import { isCharretteError, toCharretteError } from '../base/errors.ts';
import { type Received, readMessages, removeMessage } from './inbox.ts';
import type { LiveRun } from './live-run.ts';
import type { Answer } from './question.ts';

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
  readonly #live: ReadonlyMap<string, LiveRun>;
  readonly #handler: MessageHandler;
  /** Runs that were stopped for a cancel which is not saved yet. */
  readonly #ending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  constructor(inbox: string, live: ReadonlyMap<string, LiveRun>, handler: MessageHandler) {
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
    for (const [runId, live] of this.#live) {
      if (!live.stopping || this.#ending.has(runId)) await this.readRun(runId, live);
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
