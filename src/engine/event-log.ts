import { existsSync, readFileSync } from 'node:fs';
import { AppendLog } from './append-log.ts';
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
