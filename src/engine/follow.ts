import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEvent } from './event.ts';
import { readEventLines } from './event-reading.ts';

/**
 * The events of a run as they are written, from any process, until the signal or `until` ends it. `until` is asked with the last
 * event whenever all that is written has been given: an end in the middle is the end of an earlier attempt.
 */
export async function* followEvents(
  file: string,
  options: {
    signal: AbortSignal;
    until?: (last: RunEvent | undefined) => boolean | Promise<boolean>;
    intervalMs?: number;
  },
): AsyncGenerator<RunEvent> {
  let offset = 0;
  let seq = 0;
  let last: RunEvent | undefined;
  let isOver = false;
  while (!options.signal.aborted) {
    // A line that is not whole yet is read again: its writer may have died and its successor written another in its place.
    const whole = await wholeLines(file, offset);
    offset += whole.length;
    for (const event of readEventLines(whole.toString('utf8'), seq)) {
      last = event;
      seq = event.seq;
      yield event;
    }
    if (whole.length === 0 && isOver) return;
    // What was written before it was over is read first.
    isOver = whole.length === 0 && (await options.until?.(last)) === true;
    if (whole.length > 0 || isOver) continue;
    await sleep(options.intervalMs ?? 100, undefined, { signal: options.signal }).catch(() => {});
  }
}

async function wholeLines(file: string, offset: number): Promise<Buffer> {
  const size = existsSync(file) ? statSync(file).size : 0;
  if (size <= offset) return Buffer.alloc(0);
  const handle = await open(file, 'r');
  try {
    const chunk = Buffer.alloc(size - offset);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset);
    return chunk.subarray(0, chunk.subarray(0, bytesRead).lastIndexOf(0x0a) + 1);
  } finally {
    await handle.close();
  }
}
