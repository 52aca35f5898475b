import { toCharretteError } from '../errors.ts';
import { readMessages, removeMessage } from './inbox.ts';
import type { LiveRun } from './live-run.ts';
import type { Answer } from './question.ts';

/** What messages of other processes may ask for. */
export type MessageHandler = {
  start(runId: string): Promise<void>;
  answer(runId: string, answers: readonly Answer[]): Promise<void>;
  cancel(runId: string, reason: string): Promise<unknown>;
};

const intervalMs = 250;

/** Takes what other processes left. A message goes only after it took effect, so a crash in between loses nothing. */
export class InboxReader {
  readonly #inbox: string;
  readonly #live: ReadonlyMap<string, LiveRun>;
  readonly #handler: MessageHandler;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  constructor(inbox: string, live: ReadonlyMap<string, LiveRun>, handler: MessageHandler) {
    this.#inbox = inbox;
    this.#live = live;
    this.#handler = handler;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#read(), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads everything that lies there now. */
  async readAll(): Promise<void> {
    // A reading that is under way may be past what came since.
    await this.#reading;
    await this.#read();
  }

  /** The messages to one run. */
  async readRun(runId: string, live: LiveRun): Promise<void> {
    for (const received of await readMessages(live.directory.inbox)) {
      try {
        if (received.message.type === 'answer') await this.#handler.answer(runId, received.message.answers);
        if (received.message.type === 'cancel') await this.#handler.cancel(runId, received.message.reason);
      } catch (error) {
        live.events.emit(`inbox:${received.file}`, {
          type: 'warning',
          text: toCharretteError(error).message,
        });
      }
      await removeMessage(received);
    }
  }

  #read(): Promise<void> {
    this.#reading ??= this.#takeMessages().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #takeMessages(): Promise<void> {
    for (const received of await readMessages(this.#inbox)) {
      if (received.message.type === 'run') await this.#handler.start(received.message.run).catch(() => {});
      await removeMessage(received);
    }
    for (const [runId, live] of this.#live) {
      if (!live.stopping) await this.readRun(runId, live);
    }
  }
}
