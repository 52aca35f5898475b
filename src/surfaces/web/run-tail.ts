import { setTimeout as sleep } from 'node:timers/promises';
import { openQuestions } from '../../engine/answers.ts';
import { followEvents } from '../../engine/follow.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, readRunRecord } from '../../engine/run-record.ts';
import { shownStatus } from '../../service/runs.ts';

/** Something that takes frames of an event stream, such as an HTTP answer. */
export type Listener = (frames: string) => void;

type Frame = { seq: number; frame: string };

export type TailOptions = {
  intervalMs?: number;
  stateMs?: number;
  /** Keeps the files up to date where another machine writes them. */
  copy?: Copy | undefined;
};

type Copy = (directory: RunDirectory, signal: AbortSignal) => Promise<void>;

/**
 * One run as an event stream for any number of listeners: its file is read once, and every frame is made once. Frames
 * carry the number of the event as their id, so that a client that lost the connection says where it was.
 */
export class RunTail {
  readonly #directory: RunDirectory;
  readonly #stop = new AbortController();
  /** With the number of the last event that each of them has. */
  readonly #listeners = new Map<Listener, number>();
  readonly #frames: Frame[] = [];
  #fresh: Frame[] = [];
  #state = '';
  /** The events cannot be read at the moment. */
  #unreadable = false;

  constructor(directory: RunDirectory, { intervalMs = 50, stateMs = 500, copy }: TailOptions = {}) {
    this.#directory = directory;
    void this.#followAlways(intervalMs, stateMs);
    void this.#watchState(stateMs);
    // Without a copy that is up to date the page shows what there is.
    copy?.(directory, this.#stop.signal).catch(() => {});
  }

  get listening(): number {
    return this.#listeners.size;
  }

  /** Hands over everything after `seq` and then whatever comes, until the returned function is called. */
  join(seq: number, listener: Listener): () => void {
    this.#flush();
    const missed = this.#frames.filter((entry) => entry.seq > seq).map(({ frame }) => frame);
    const state = this.#state === '' ? [] : [this.#state];
    listener(['retry: 1000\n\n', ...missed, ...state].join(''));
    this.#listeners.set(listener, Math.max(seq, this.#frames.at(-1)?.seq ?? 0));
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop.abort();
    this.#listeners.clear();
  }

  /** An unreadable file is reported and tried again: the page of one run must not end those of others. */
  async #followAlways(intervalMs: number, againMs: number): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#follow(intervalMs).catch(() => {
        this.#unreadable = true;
      });
      await sleep(againMs, undefined, { signal }).catch(() => {});
    }
  }

  async #follow(intervalMs: number): Promise<void> {
    const { signal } = this.#stop;
    for await (const event of followEvents(this.#directory.events, { signal, intervalMs })) {
      this.#unreadable = false;
      if (event.seq <= (this.#frames.at(-1)?.seq ?? 0)) continue;
      const frame = { seq: event.seq, frame: `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n` };
      this.#frames.push(frame);
      // Events that were written together are sent together.
      if (this.#fresh.length === 0) setImmediate(() => this.#flush());
      this.#fresh.push(frame);
    }
  }

  #flush(): void {
    if (this.#fresh.length === 0) return;
    const fresh = this.#fresh;
    this.#fresh = [];
    const all = fresh.map(({ frame }) => frame).join('');
    const [first, last] = [fresh[0]?.seq ?? 0, fresh.at(-1)?.seq ?? 0];
    for (const [listener, seq] of this.#listeners) {
      // A client that reconnects may be ahead of a file that is only now being read.
      if (first > seq) listener(all);
      else if (last > seq)
        listener(
          fresh
            .filter((entry) => entry.seq > seq)
            .map(({ frame }) => frame)
            .join(''),
        );
      this.#listeners.set(listener, Math.max(seq, last));
    }
  }

  /** Whether a process still works on the run is in no event: a killed one says nothing. */
  async #watchState(stateMs: number): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const state = frameOf(this.#unreadable ? unreadable : await stateOf(this.#directory));
      if (state !== this.#state) {
        this.#state = state;
        for (const listener of this.#listeners.keys()) listener(state);
      }
      await sleep(stateMs, undefined, { signal }).catch(() => {});
    }
  }
}

type State = { status: string; questions: string[] };

const unreadable: State = { status: 'unreadable', questions: [] };

async function stateOf(directory: RunDirectory): Promise<State> {
  try {
    const record = await readRunRecord(directory);
    const questions = isFinal(record.status) ? [] : openQuestions(directory);
    return { status: shownStatus(record, directory), questions: questions.map(({ id }) => id) };
  } catch {
    return unreadable;
  }
}

function frameOf(state: State): string {
  return `event: state\ndata: ${JSON.stringify(state)}\n\n`;
}

/** The tails of all runs with listeners; one that has lost its last listener is closed a while later. */
export class RunTails {
  readonly #tails = new Map<string, RunTail>();
  readonly #copy: Copy | undefined;
  readonly #lingerMs: number;

  constructor(copy?: Copy, lingerMs = 10_000) {
    this.#copy = copy;
    this.#lingerMs = lingerMs;
  }

  join(directory: RunDirectory, seq: number, listener: Listener): () => void {
    const tail = this.#tails.get(directory.id) ?? new RunTail(directory, { copy: this.#copy });
    this.#tails.set(directory.id, tail);
    const leave = tail.join(seq, listener);
    return () => {
      leave();
      setTimeout(() => this.#closeIdle(directory.id, tail), this.#lingerMs).unref();
    };
  }

  #closeIdle(run: string, tail: RunTail): void {
    if (tail.listening > 0 || this.#tails.get(run) !== tail) return;
    this.#tails.delete(run);
    tail.close();
  }

  close(): void {
    for (const tail of this.#tails.values()) tail.close();
    this.#tails.clear();
  }
}
