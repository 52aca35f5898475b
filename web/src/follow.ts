import type { RunEvent } from '../../src/engine/event.ts';
import { readEventLines } from '../../src/engine/event-reading.ts';
import { clean, parse } from './json.ts';
import { Retry } from './retry.ts';
import type { State, Watcher } from './source.ts';
import { openStream } from './stream.ts';

/**
 * Follows a run: what there is comes in one piece, what is new over the stream that all tabs share. A hidden tab listens to
 * nothing; when it is shown again it asks for what it missed. A gap in the numbers is filled the same way.
 */
export function watchRun(
  run: string,
  watcher: Watcher,
  fetchAfter: (after: number) => Promise<string>,
): () => void {
  /** Number of the last event that was handed over, and of the last one that was heard of. */
  let last = 0;
  let heard = 0;
  let over = false;
  let leave: (() => void) | undefined;
  let catching: Promise<void> | undefined;
  const reached = { stream: true, fetch: true };

  const tellReached = (change: Partial<typeof reached>) => {
    Object.assign(reached, change);
    watcher.connected(reached.stream && reached.fetch);
  };

  const hand = (events: RunEvent[]) => {
    const fresh = events.filter(({ seq }) => seq > last);
    last = fresh.at(-1)?.seq ?? last;
    if (fresh.length > 0 && !over) watcher.events(fresh);
  };

  const take = (events: RunEvent[]) => {
    heard = Math.max(heard, events.at(-1)?.seq ?? 0);
    const next = events.find(({ seq }) => seq > last);
    if (next === undefined || next.seq === last + 1) hand(events);
    else if (!retry.waiting) void catchUp();
  };

  const catchUp = () => {
    retry.stop();
    catching ??= fetchMissing().finally(() => {
      catching = undefined;
    });
    return catching;
  };

  /** Fetches until nothing is missing that was heard of; what cannot be had is asked for again later. */
  const fetchMissing = async () => {
    try {
      let before: number;
      do {
        before = last;
        hand(eventsIn(await fetchAfter(last), last));
      } while (last < heard && last > before);
      if (!reached.fetch) tellReached({ fetch: true });
    } catch {
      tellReached({ fetch: false });
    }
    if (reached.fetch && last >= heard) retry.succeeded();
    else if (!over && !document.hidden) retry.later();
  };

  const retry = new Retry(() => void catchUp());

  const join = async () => {
    await catchUp();
    if (over || leave !== undefined || document.hidden) return;
    leave = openStream(run, last, {
      lines: (lines) => take(lines.map((line) => parse<RunEvent>(line))),
      state: (text) => watcher.state(parse<State>(text)),
      connected: (yes, at) => {
        heard = Math.max(heard, at);
        tellReached({ stream: yes });
        if (yes && at > last) void catchUp();
      },
    });
  };

  const onVisible = () => {
    if (document.hidden) {
      retry.stop();
      leave?.();
      leave = undefined;
    } else void join();
  };
  document.addEventListener('visibilitychange', onVisible);
  void join();
  return () => {
    over = true;
    retry.stop();
    document.removeEventListener('visibilitychange', onVisible);
    leave?.();
  };
}

function eventsIn(text: string, after: number): RunEvent[] {
  return clean(readEventLines(text, after)) as RunEvent[];
}
