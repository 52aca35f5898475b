import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { isRecord, readJson } from '../base/safe-json.ts';

/** An entry knows its own identity, so that writing it twice leaves it there once. */
export type LogEntry = { id: string };

/**
 * An append-only file of JSON lines with one writer. A truncated last line (the writer was killed) is cut off on opening; an
 * entry whose id is already there is not written again: replaying a workflow repeats its events without doubling them.
 */
export class AppendLog<Entry extends LogEntry> {
  #descriptor: number | undefined;
  readonly #known = new Map<string, Entry>();

  constructor(file: string) {
    for (const entry of readLog<Entry>(file)) this.#known.set(entry.id, entry);
    this.#descriptor = openSync(file, 'a+');
    cutTornLine(this.#descriptor);
  }

  get entries(): IterableIterator<Entry> {
    return this.#known.values();
  }

  get size(): number {
    return this.#known.size;
  }

  find(id: string): Entry | undefined {
    return this.#known.get(id);
  }

  /** Appends the entry and returns the one in the file: this one, or an earlier one with its id. */
  append(entry: Entry): { entry: Entry; added: boolean } {
    const known = this.#known.get(entry.id);
    if (known !== undefined) return { entry: known, added: false };
    // After the close the run continues elsewhere, in this process or another, and is logged there.
    if (this.#descriptor === undefined) return { entry, added: false };
    appendWhole(this.#descriptor, `${JSON.stringify(entry)}\n`);
    this.#known.set(entry.id, entry);
    return { entry, added: true };
  }

  /** Forgets every entry. */
  clear(): void {
    if (this.#known.size === 0 || this.#descriptor === undefined) return;
    this.#known.clear();
    ftruncateSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** All whole entries of a log, in order; skips lines that are not JSON objects with an id. */
export function readLog<Entry extends LogEntry>(file: string): Entry[] {
  return existsSync(file) ? parseLog(readFileSync(file, 'utf8')) : [];
}

export function parseLog<Entry extends LogEntry>(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const reading = readJson(line);
    if (reading.ok && isRecord(reading.value) && typeof reading.value['id'] === 'string') {
      entries.push(reading.value as unknown as Entry);
    }
  }
  return entries;
}

/** A full disk may accept part of a line; removes that part, or the next line would be unreadable, too. */
function appendWhole(descriptor: number, line: string): void {
  const { size } = fstatSync(descriptor);
  try {
    writeFileSync(descriptor, line);
  } catch (error) {
    ftruncateSync(descriptor, size);
    throw error;
  }
}

function cutTornLine(descriptor: number): void {
  const { size } = fstatSync(descriptor);
  const chunk = Buffer.alloc(64 * 1024);
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - chunk.length);
    const length = readSync(descriptor, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, length).lastIndexOf(10);
    if (newline >= 0) {
      if (start + newline + 1 < size) ftruncateSync(descriptor, start + newline + 1);
      return;
    }
    end = start;
  }
  if (size > 0) ftruncateSync(descriptor, 0);
}
