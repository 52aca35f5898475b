import type { RunEvent } from '../../src/engine/event.ts';
import { parse } from './json.ts';
import type { State, Watcher } from './source.ts';
import { openStream } from './stream.ts';

/**
 * Follows a run: what there is comes in one piece, what is new over the stream that all tabs share. A hidden tab listens to
 * nothing; when it is looked at again it asks for what it missed. A gap in the numbers is filled the same way.
 */
export function watchRun(
  run: string,
  watcher: Watcher,
  fetchAfter: (after: number) => Promise<string>,
): () => void {
  let last = 0;
  let over = false;
  let leave: (() => void) | undefined;
  let catching: Promise<void> | undefined;

  const take = (events: RunEvent[]) => {
    const fresh = events.filter((event) => event.seq > last);
    if (fresh.length === 0) return;
    if ((fresh[0]?.seq ?? 0) > last + 1) {
      void catchUp();
      return;
    }
    last = fresh.at(-1)?.seq ?? last;
    watcher.events(fresh);
  };

  const catchUp = () => {
    catching ??= fetchAfter(last)
      .then((text) => {
        const events = text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => parse<RunEvent>(line))
          .filter((event) => event.seq > last);
        last = events.at(-1)?.seq ?? last;
        if (events.length > 0 && !over) watcher.events(events);
      })
      .catch(() => watcher.connected(false))
      .finally(() => {
        catching = undefined;
      });
    return catching;
  };

  const join = async () => {
    await catchUp();
    if (over || leave !== undefined || document.hidden) return;
    leave = openStream(run, last, {
      lines: (lines) => take(lines.map((line) => parse<RunEvent>(line))),
      state: (text) => watcher.state(parse<State>(text)),
      connected: (yes, at) => {
        watcher.connected(yes);
        if (yes && at > last) void catchUp();
      },
    });
  };

  const onVisible = () => {
    if (document.hidden) {
      leave?.();
      leave = undefined;
    } else void join();
  };
  document.addEventListener('visibilitychange', onVisible);
  void join();
  return () => {
    over = true;
    document.removeEventListener('visibilitychange', onVisible);
    leave?.();
  };
}
