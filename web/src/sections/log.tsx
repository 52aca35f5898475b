import { memo } from 'preact/compat';
import { useState } from 'preact/hooks';
import { clock } from '../format.ts';
import { type LogLine, type RunStore, useVersion } from '../run-store.ts';

const atFirst = 100;

/** What happened, newest last; the last part at first, all of it on demand. */
export const Log = memo(function Log({ store }: { store: RunStore }) {
  useVersion(store, 'events');
  const [all, setAll] = useState(false);
  const { log } = store;
  return (
    <section class="card log" tabIndex={0} aria-label="Log lines">
      {log.length > atFirst && (
        <button type="button" class="button quiet" onClick={() => setAll(!all)}>
          {all ? `Show the last ${atFirst}` : `Show all ${log.length} lines`}
        </button>
      )}
      <ol class={all ? 'whole' : undefined}>
        {(all ? log : log.slice(-atFirst)).map((line) => (
          <Line key={line.seq} line={line} />
        ))}
      </ol>
    </section>
  );
});

const Line = memo(function Line({ line }: { line: LogLine }) {
  const { time, tone, text } = line;
  return (
    <li class={`is-${tone}`}>
      <time dateTime={time}>{clock(time)}</time>
      <bdi>{text}</bdi>
    </li>
  );
});
