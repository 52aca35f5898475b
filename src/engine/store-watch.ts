import { setTimeout as sleep } from 'node:timers/promises';

/** Receives that a store became unreachable, and that it answers again. */
export type StoreNews = { away(reason: string): void; back(): void };

const intervalMs = 1000;
/** Shorter absences are not reported. */
const newsAfterMs = 2000;
/** The longest time that one poll can count: a suspended process has not waited. */
const maxPollMs = 30_000;

/** Polls a shared store; the durable engine itself would wait for it without a word. */
export class StoreWatch {
  readonly #ask: () => Promise<unknown>;
  readonly #patienceMs: number;
  readonly #news: StoreNews;
  readonly #intervalMs: number;
  readonly #stop = new AbortController();
  #awayMs = 0;
  #said = false;
  #reason = '';
  readonly #waiting = new Set<() => void>();

  constructor(
    ask: () => Promise<unknown>,
    options: { patienceMs: number; news: StoreNews; intervalMs?: number },
  ) {
    this.#ask = ask;
    this.#patienceMs = options.patienceMs;
    this.#news = options.news;
    this.#intervalMs = options.intervalMs ?? intervalMs;
  }

  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Whether the last question was not answered. */
  get isAway(): boolean {
    return this.#awayMs > 0;
  }

  /** Whether it has been away for longer than anybody should wait. */
  get isLost(): boolean {
    return this.#awayMs >= this.#patienceMs;
  }

  get reason(): string {
    return this.#reason;
  }

  /** Resolves as soon as the store counts as lost; `done` ends the waiting. */
  async lost(done: AbortSignal): Promise<'lost'> {
    while (!this.isLost)
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        done.addEventListener('abort', () => this.#waiting.delete(resolve), { once: true });
      });
    return 'lost';
  }

  async #look(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(this.#intervalMs, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      const asked = performance.now();
      try {
        await this.#ask();
        if (this.#said) this.#news.back();
        this.#awayMs = 0;
        this.#said = false;
      } catch (error) {
        this.#missed(performance.now() - asked, error);
      }
    }
  }

  #missed(tookMs: number, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#awayMs += this.#intervalMs + Math.min(tookMs, maxPollMs);
    this.#reason = reasonOf(error);
    if (!this.#said && this.#awayMs >= Math.min(newsAfterMs, this.#patienceMs)) {
      this.#said = true;
      this.#news.away(this.#reason);
    }
    if (!this.isLost) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Several addresses of one name fail together, without a common message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
