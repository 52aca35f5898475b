import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Redactor } from './redact.ts';

/** Cuts a stream of bytes into lines and holds at most one line in memory. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  readonly #onLine: (line: string) => void;
  #held = '';
  #skipping = false;

  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    this.#take(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }

  /** The last line may lack its end. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#held !== '' && !this.#skipping) this.#onLine(this.#held);
    this.#held = '';
  }

  #take(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = this.#held + text.slice(from, end);
      if (!this.#skipping && line.length <= this.#limit) this.#onLine(line.replace(/\r$/, ''));
      this.#held = '';
      this.#skipping = false;
      from = end + 1;
    }
    if (this.#skipping) return;
    this.#held += text.slice(from);
    if (this.#held.length > this.#limit) {
      this.#held = '';
      this.#skipping = true;
    }
  }
}

/** Counts what both streams of a process have written against one bound. */
export class OutputBudget {
  readonly #limit: number;
  used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How much of the chunk may still be kept; fewer bytes than it has means the bound is reached. */
  take(bytes: number): number {
    const kept = Math.max(0, Math.min(bytes, this.#limit - this.used));
    this.used += bytes;
    return kept;
  }

  get exhausted(): boolean {
    return this.used > this.#limit;
  }
}

/** Records a stream to a file and hands its bytes on; the file sets the pace, so memory stays bounded. */
export async function recordStream(options: {
  stream: Readable;
  file: string;
  budget: OutputBudget;
  /** Never written, never handed on. */
  secrets: readonly string[];
  onBytes: (chunk: Uint8Array) => void;
  onExhausted: () => void;
}): Promise<void> {
  const { stream, file, budget, secrets, onBytes, onExhausted } = options;
  const redactor = new Redactor(secrets);
  // When a process exits, Node drains a stream without listeners; this keeps it until the file is open.
  stream.on('readable', () => {});
  const handle: FileHandle = await open(file, 'w');
  // Leaving the loop destroys the stream, so what went wrong here is kept apart from how the stream ended.
  let failure: { error: unknown } | undefined;
  const keep = async (bytes: Uint8Array) => {
    if (bytes.byteLength === 0) return;
    await handle.write(bytes);
    onBytes(bytes);
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      try {
        await keep(redactor.push(chunk.subarray(0, budget.take(chunk.byteLength))));
        if (budget.exhausted) onExhausted();
      } catch (error) {
        failure = { error };
        break;
      }
    }
  } catch (error) {
    if (!stream.destroyed) failure ??= { error };
  }
  try {
    if (failure === undefined) await keep(redactor.end());
  } catch (error) {
    failure = { error };
  } finally {
    await handle.close();
  }
  if (failure !== undefined) throw failure.error;
}

/** Keeps the last part of a text stream, for messages. */
export class Tail {
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  #text = '';

  constructor(limit = 4000) {
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.write(Buffer.from(chunk))).slice(-this.#limit);
  }

  get text(): string {
    return this.#text;
  }
}
