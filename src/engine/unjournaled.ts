import { existsSync, rmSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { AppendLog } from './append-log.ts';

type Kept = { id: string; value: string };

/**
 * Results of steps that the journal does not have yet. Writing a line takes microseconds, a transaction milliseconds: the run goes
 * on as soon as the line is there, and the journal follows. Whoever resumes a run that was killed in between finds the result
 * here. Only for a store that never leaves the machine of the run's directory.
 */
export class Unjournaled {
  readonly #file: string;
  #log: AppendLog<Kept> | undefined;
  readonly #awaited = new Set<string>();
  /** The run may go on elsewhere in this process by now; the file is no longer ours. */
  #closed = false;

  constructor(file: string) {
    this.#file = file;
    if (existsSync(file)) this.#log = new AppendLog(file);
  }

  find(id: string): { value: unknown } | undefined {
    const kept = this.#log?.find(id);
    return kept === undefined ? undefined : { value: deserialize(Buffer.from(kept.value, 'base64')) };
  }

  /**
   * Gives back what a replay will find: a copy, so that nobody changes what the journal is about to get. Nothing: it could not be
   * kept.
   */
  keep<Result>(id: string, result: Result): { value: Result } | undefined {
    if (this.#closed) return undefined;
    try {
      const bytes = serialize(result);
      this.#log ??= new AppendLog(this.#file);
      this.#log.append({ id, value: bytes.toString('base64') });
      this.#awaited.add(id);
      return { value: deserialize(bytes) };
    } catch {
      return undefined;
    }
  }

  /** The journal has it; once it has everything, the file is empty again. */
  journaled(id: string): void {
    if (this.#awaited.delete(id) && this.#awaited.size === 0) this.clear();
  }

  /** A run that has ended needs nothing of it, one that begins anew takes nothing from before. */
  clear(): void {
    this.#awaited.clear();
    if (!this.#closed) this.#log?.clear();
  }

  close(): void {
    this.#closed = true;
    this.#log?.close();
    if (this.#log?.size !== 0) return;
    try {
      rmSync(this.#file, { force: true });
    } catch {
      // Empty it does no harm.
    }
  }
}
