import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isRecord, readJson } from '../safe-json.ts';
import type { HostSession } from './snapshot.ts';

type Usage = NonNullable<HostSession['usage']>;

const mostBytes = 64 * 1024 * 1024;

/** Tokens that a conversation has paid for so far; only what was added since the last look is read. */
export function addUsage(file: string | undefined, before: Usage | undefined): Usage {
  const known = before ?? { offset: 0, tokens: 0, last: '' };
  if (file === undefined) return known;
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    return known;
  }
  try {
    const { size } = fstatSync(handle);
    // A file that shrank is another conversation.
    const start = size < known.offset ? { offset: 0, tokens: 0, last: '' } : known;
    const bytes = Buffer.alloc(Math.min(size - start.offset, mostBytes));
    readSync(handle, bytes, 0, bytes.length, start.offset);
    const end = bytes.lastIndexOf(10) + 1;
    return count(bytes.toString('utf8', 0, end), { ...start, offset: start.offset + end });
  } catch {
    return known;
  } finally {
    closeSync(handle);
  }
}

/** One answer may stand on several lines under one id; it is paid once. Cached input is not counted. */
function count(text: string, from: Usage): Usage {
  let { tokens, last } = from;
  for (const line of text.split('\n')) {
    if (!line.includes('"usage"')) continue;
    const reading = readJson(line);
    const message = reading.ok && isRecord(reading.value) ? reading.value['message'] : undefined;
    if (!isRecord(message) || !isRecord(message['usage'])) continue;
    const id = String(message['id'] ?? '');
    if (id !== '' && id === last) continue;
    last = id;
    const { usage } = message;
    for (const key of ['input_tokens', 'cache_creation_input_tokens', 'output_tokens']) {
      const value = isRecord(usage) ? usage[key] : undefined;
      if (typeof value === 'number' && Number.isFinite(value)) tokens += value;
    }
  }
  return { offset: from.offset, tokens, last };
}
