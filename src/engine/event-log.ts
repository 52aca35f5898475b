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
import type { Clock } from './clock.ts';
import type { EventBody, RunEvent } from './event.ts';
import { readEventLines } from './event-reading.ts';

/** Events that say whether anybody works on the run. */
const turns: ReadonlySet<EventBody['type']> = new Set(['run-start', 'run-resume', 'run-pause', 'run-end']);

export type EventListener = (event: RunEvent) => void;

/** events.jsonl of one run, with the listeners of this process. */
export class EventLog {
  readonly #run: string;
  readonly #clock: Clock;
  readonly #log: AppendLog<RunEvent>;
  readonly #listeners = new Set<EventListener>();
  #latest = 0;
  #lastTurn: RunEvent | undefined;
  #failures = 0;

  constructor(run: string, file: string, clock: Clock) {
    this.#run = run;
    this.#clock = clock;
    this.#log = new AppendLog(file);
    for (const event of this.#log.entries) {
      this.#latest = Math.max(this.#latest, Date.parse(event.time) || 0);
      this.#count(event);
    }
  }

  /** The time of the run: never before its last event, also on a machine whose clock is behind the one before. */
  now(): number {
    return Math.max(this.#clock.now(), this.#latest);
  }

  /** Writes the event unless its id exists; returns the event in the log, with its first time. */
  emit(id: string, body: EventBody): RunEvent {
    const now = this.now();
    const time = new Date(now).toISOString();
    const event: RunEvent = { v: 1, id, run: this.#run, seq: this.#log.size + 1, time, ...body };
    const { entry, added } = this.#log.append(event);
    if (added) this.#latest = now;
    if (added) this.#count(entry);
    if (added) for (const listener of this.#listeners) listener(entry);
    return entry;
  }

  /** The event with this id. */
  find(id: string): RunEvent | undefined {
    return this.#log.find(id);
  }

  #count(event: RunEvent): void {
    if (turns.has(event.type)) this.#lastTurn = event;
    if (event.type === 'run-end' && event.status === 'failed') this.#failures += 1;
  }

  /** Which start of the run this is: a run that failed starts again, a resumed one is still in the same start. */
  get start(): number {
    return this.#failures + 1;
  }

  /** The last event that starts, resumes, pauses or ends the run. */
  get lastTurn(): RunEvent | undefined {
    return this.#lastTurn;
  }

  get entries(): IterableIterator<RunEvent> {
    return this.#log.entries;
  }

  get count(): number {
    return this.#log.size;
  }

  /**
   * Emits `run-end` unless the log already ends with it. An end that was never recorded may be followed by a pause or a resume, and
   * then the next one is emitted again.
   */
  emitRunEnd(ending: Omit<Extract<EventBody, { type: 'run-end' }>, 'type'>): RunEvent {
    const last = this.#lastTurn;
    if (last?.type === 'run-end' && last.status === ending.status) return last;
    return this.emit(`run:end-${this.count}`, { type: 'run-end', ...ending });
  }

  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#log.close();
  }
}

export function readEvents(file: string): RunEvent[] {
  return existsSync(file) ? readEventLines(readFileSync(file, 'utf8')) : [];
}

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
