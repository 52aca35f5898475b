import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isRecord, readJson } from '../../base/safe-json.ts';
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
    if (!/"(?:usage|tokens|total_token_usage)"/.test(line)) continue;
    const reading = readJson(line);
    if (!reading.ok || !isRecord(reading.value)) continue;
    const total = codexTotal(reading.value);
    if (total !== undefined) {
      tokens = total;
      continue;
    }
    const paid = claudeAnswer(reading.value) ?? geminiAnswer(reading.value);
    if (paid === undefined || (paid.id !== '' && paid.id === last)) continue;
    last = paid.id;
    tokens += paid.tokens;
  }
  return { offset: from.offset, tokens, last };
}

/** Claude Code: each answer with what it cost. */
function claudeAnswer(line: Record<string, unknown>): { id: string; tokens: number } | undefined {
  const message = line['message'];
  if (!isRecord(message) || !isRecord(message['usage'])) return undefined;
  const { usage } = message;
  const keys = ['input_tokens', 'cache_creation_input_tokens', 'output_tokens'];
  return { id: String(message['id'] ?? ''), tokens: sum(usage, keys) };
}

/** Gemini CLI: input includes what was cached. */
function geminiAnswer(line: Record<string, unknown>): { id: string; tokens: number } | undefined {
  const { tokens } = line;
  if (!isRecord(tokens)) return undefined;
  return { id: String(line['id'] ?? ''), tokens: sum(tokens, ['input', 'output']) - sum(tokens, ['cached']) };
}

/** Codex: the total of the conversation so far, cached input included. */
function codexTotal(line: Record<string, unknown>): number | undefined {
  const payload = isRecord(line['payload']) ? line['payload'] : undefined;
  const info = isRecord(payload?.['info']) ? payload['info'] : undefined;
  const total = info?.['total_token_usage'];
  if (!isRecord(total)) return undefined;
  return sum(total, ['input_tokens', 'output_tokens']) - sum(total, ['cached_input_tokens']);
}

function sum(record: Record<string, unknown>, keys: readonly string[]): number {
  return keys.reduce((total, key) => {
    const value = record[key];
    return typeof value === 'number' && Number.isFinite(value) ? total + value : total;
  }, 0);
}
