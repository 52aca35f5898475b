import { memo } from 'preact/compat';
import { useState } from 'preact/hooks';
import { clock } from '../format.ts';
import type { LogLine } from '../run-store.ts';

const atFirst = 200;

/** What happened, newest last; the last part at first, all of it on demand. */
export const Log = memo(function Log({ lines, count }: { lines: readonly LogLine[]; count: number }) {
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(-atFirst);
  return (
    <section class="card log" tabIndex={0} aria-label="Log lines">
      {count > atFirst && (
        <button type="button" class="button quiet" onClick={() => setAll(!all)}>
          {all ? `Show the last ${atFirst}` : `Show all ${count} lines`}
        </button>
      )}
      <ol>
        {shown.map(({ seq, time, tone, text }) => (
          <li key={seq} class={`is-${tone}`}>
            <time dateTime={time}>{clock(time)}</time>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
});
