import { useEffect, useState } from 'preact/hooks';
import type { RunEvent } from '../../src/engine/event.ts';
import type { Snapshot } from '../../src/surfaces/web/snapshot.ts';
import { applyEvent, emptyTimeline, type Timeline } from '../../src/surfaces/web/timeline.ts';
import type { Source, State } from './source.ts';

export type LogLine = { seq: number; time: string; tone: 'plain' | 'warning' | 'bad'; text: string };

const refreshMs = 250;
/** Between two drawings; the first event after a silence is drawn at once. */
const pauseMs = 80;
/** Events after which the files of a run say something new. */
const telling: readonly RunEvent['type'][] = [
  'artifact-write',
  'lane-end',
  'question-ask',
  'question-answer',
  'run-end',
  'run-resume',
  'run-pause',
];

/** One run as the page sees it: events as they come, and its files, read again when the events say that they changed. */
export class RunStore {
  readonly timeline: Timeline = emptyTimeline();
  readonly log: LogLine[] = [];
  snapshot: Snapshot | undefined;
  state: State | undefined;
  connected = true;
  problem: string | undefined;
  readonly #source: Source;
  readonly #run: string;
  /** Those who care about the files and the state, and those who care about every event. */
  readonly #listeners = { snapshot: new Set<() => void>(), events: new Set<() => void>() };
  #close: (() => void) | undefined;
  #waiting: RunEvent[] = [];
  #frame: number | undefined;
  #next = 0;
  #later: ReturnType<typeof setTimeout> | undefined;
  #refresh: ReturnType<typeof setTimeout> | undefined;

  constructor(source: Source, run: string) {
    this.#source = source;
    this.#run = run;
  }

  open(): void {
    void this.load();
    this.#close = this.#source.watch(this.#run, {
      events: (events) => this.#take(events),
      state: (state) => {
        const before = this.state;
        this.state = state;
        if (before !== undefined && before.status !== state.status) this.#reloadSoon();
        this.#tell();
      },
      connected: (yes) => {
        this.connected = yes;
        // What could not be read while the server was away.
        if (yes && this.problem !== undefined) this.#reloadSoon();
        this.#tell();
      },
    });
  }

  close(): void {
    this.#close?.();
    clearTimeout(this.#refresh);
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#listeners.snapshot.clear();
    this.#listeners.events.clear();
    clearTimeout(this.#later);
  }

  async load(): Promise<void> {
    try {
      this.snapshot = await this.#source.snapshot(this.#run);
      this.problem = undefined;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.#tell();
  }

  subscribe(kind: 'snapshot' | 'events', listener: () => void): () => void {
    this.#listeners[kind].add(listener);
    return () => this.#listeners[kind].delete(listener);
  }

  /** Everything that came since the last frame is applied at once; a hidden page has no frames and needs none. */
  #take(events: RunEvent[]): void {
    for (const event of events) this.#waiting.push(event);
    if (this.#frame !== undefined || this.#later !== undefined) return;
    const wait = this.#next - performance.now();
    if (wait <= 0) this.#frame = requestAnimationFrame(() => this.#apply());
    else
      this.#later = setTimeout(() => {
        this.#later = undefined;
        this.#frame = requestAnimationFrame(() => this.#apply());
      }, wait);
  }

  #apply(): void {
    this.#frame = undefined;
    const start = performance.now();
    this.#next = start + pauseMs;
    const first = this.timeline.seq === 0;
    const events = this.#waiting;
    this.#waiting = [];
    for (const event of events) {
      applyEvent(this.timeline, event);
      const line = logLine(event);
      if (line !== undefined) this.log.push(line);
    }
    if (this.snapshot !== undefined && events.some(({ type }) => telling.includes(type))) this.#reloadSoon();
    for (const listener of this.#listeners.events) listener();
    if (first) this.#tell();
    // Seen by tests: how long the page was busy with these events, painting included.
    setTimeout(() => performance.measure('charrette-apply', { start, detail: events.length }));
  }

  #reloadSoon(): void {
    this.#refresh ??= setTimeout(() => {
      this.#refresh = undefined;
      void this.load();
    }, refreshMs);
  }

  #tell(): void {
    for (const listener of this.#listeners.snapshot) listener();
  }
}

function logLine(event: RunEvent): LogLine | undefined {
  const at = { seq: event.seq, time: event.time };
  switch (event.type) {
    case 'run-start':
      return { ...at, tone: 'plain', text: `Run started: ${event.title}` };
    case 'run-resume':
      return { ...at, tone: 'plain', text: 'Resumed' };
    case 'run-pause':
      return {
        ...at,
        tone: 'warning',
        text: event.reason === 'question' ? 'Waiting for an answer' : 'Stopped',
      };
    case 'run-end':
      return {
        ...at,
        tone: event.status === 'done' ? 'plain' : 'bad',
        text: `Ended: ${event.status}${event.message === undefined ? '' : `, ${event.message}`}`,
      };
    case 'phase-end':
    case 'phase-skip':
      return event.line === undefined ? undefined : { ...at, tone: 'plain', text: event.line };
    case 'warning':
      return { ...at, tone: 'warning', text: event.text.replaceAll('**', '') };
    case 'note':
      return { ...at, tone: 'plain', text: event.text.replaceAll('**', '') };
    case 'lane-start':
      return {
        ...at,
        tone: 'plain',
        text: `${event.lane}: ${event.agent}, attempt ${event.attempt}`,
      };
    case 'lane-retry':
      return {
        ...at,
        tone: 'warning',
        text: `${event.lane}: ${event.agent} ${event.kind}, ${event.message}`,
      };
    case 'lane-end':
      return {
        ...at,
        tone: event.kind === 'ok' ? 'plain' : 'bad',
        text: `${event.lane}: ${event.kind}${event.message === undefined ? '' : `, ${event.message}`}`,
      };
    case 'question-ask':
      return { ...at, tone: 'warning', text: event.questions.map(({ text }) => text).join(' · ') };
    case 'question-answer':
      return {
        ...at,
        tone: 'plain',
        text: event.answers.map(({ question, value }) => `${question} = ${value}`).join(', '),
      };
    case 'artifact-write':
      return { ...at, tone: 'plain', text: `wrote ${event.name}` };
    default:
      return undefined;
  }
}

/** The store of a run, open while the component is mounted. */
export function useRunStore(source: Source, run: string): RunStore {
  const [store] = useState(() => new RunStore(source, run));
  useVersion(store, 'snapshot');
  useEffect(() => {
    store.open();
    return () => store.close();
  }, [store]);
  return store;
}

/** Draws the component again whenever the store has news of that kind. */
export function useVersion(store: RunStore, kind: 'snapshot' | 'events'): void {
  const [, setVersion] = useState(0);
  useEffect(() => store.subscribe(kind, () => setVersion((version) => version + 1)), [store, kind]);
}

/** Draws it again only for events that change a row; of a run that is over, also for its last one. */
export function useTimelineVersion(store: RunStore, live: boolean): void {
  const [, setVersion] = useState('');
  useEffect(() => {
    const look = () => setVersion(`${store.timeline.version} ${live ? '' : store.timeline.last}`);
    look();
    return store.subscribe('events', look);
  }, [store, live]);
}
