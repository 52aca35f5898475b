import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseLog } from './append-log.ts';
import type { RunEvent } from './event.ts';

/** The events of a run as they are written, from any process, until the signal or `until` ends it. */
export async function* followEvents(
  file: string,
  options: { signal: AbortSignal; until?: (event: RunEvent) => boolean; intervalMs?: number },
): AsyncGenerator<RunEvent> {
  let offset = 0;
  let rest = '';
  const decoder = new TextDecoder();
  while (!options.signal.aborted) {
    const size = existsSync(file) ? statSync(file).size : 0;
    if (size < offset) {
      // The writer died in the middle of a line and its successor cut that line off.
      offset -= Buffer.byteLength(rest);
      rest = '';
    }
    if (size > offset) {
      const handle = await open(file, 'r');
      try {
        const chunk = Buffer.alloc(size - offset);
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset);
        offset += bytesRead;
        rest += decoder.decode(chunk.subarray(0, bytesRead), { stream: true });
      } finally {
        await handle.close();
      }
      const end = rest.lastIndexOf('\n') + 1;
      const whole = rest.slice(0, end);
      rest = rest.slice(end);
      for (const event of parseLog<RunEvent>(whole)) {
        yield event;
        if (options.until?.(event) === true) return;
      }
      continue;
    }
    await sleep(options.intervalMs ?? 100, undefined, { signal: options.signal }).catch(() => {});
  }
}
