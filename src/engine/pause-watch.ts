import type { Question } from './question.ts';

/** Whether a run waits for answers or has ended, for those who want to know when that changes. */
export class PauseWatch {
  #questions: Question[] | undefined;
  #over = false;
  #waiting: (() => void)[] = [];

  pause(questions: Question[]): void {
    this.#questions = questions;
    this.#wake();
  }

  continue(): void {
    this.#questions = undefined;
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  /** Resolves as soon as the run has ended or was let go of. */
  async ended(): Promise<void> {
    while (!this.#over) await this.#change();
  }

  /** Resolves with the open questions as soon as there are some. */
  async paused(): Promise<Question[]> {
    while (this.#questions === undefined) await this.#change();
    return this.#questions;
  }

  /** Resolves as soon as nothing is being waited for. */
  async continued(): Promise<void> {
    while (this.#questions !== undefined) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
