const firstPauseMs = 1000;
const longestPauseMs = 15_000;

/** Repeats something that failed, after a pause that grows with every failure until it succeeds. */
export class Retry {
  readonly #attempt: () => void;
  #pauseMs = firstPauseMs;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(attempt: () => void) {
    this.#attempt = attempt;
  }

  get waiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Tries again after the pause, unless that is going to happen anyway. */
  later(): void {
    if (this.waiting) return;
    this.#timer = setTimeout(() => this.hurry(), this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }

  /** Tries at once what waits to be tried. */
  hurry(): void {
    if (!this.waiting) return;
    this.stop();
    this.#attempt();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  succeeded(): void {
    this.#pauseMs = firstPauseMs;
  }
}
