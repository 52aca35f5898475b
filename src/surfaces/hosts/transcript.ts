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

/** One answer may have several lines under one id; it is paid once. Cached input is not counted. */
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

/** A call of a tool in a conversation, whatever the host calls its fields. */
type ToolUse = { name: string; input: Record<string, unknown> };

export type Transcript = {
  tools: readonly ToolUse[];
  /** What the agent said last. */
  lastWords: string;
  /** Results of questions to the user, as the host words them. */
  answers: readonly string[];
};

const tailBytes = 8 * 1024 * 1024;
const deepest = 8;

/** The end of a conversation file, one JSON value a line; lines that are truncated or not JSON are skipped. */
export function readTranscript(file: string | undefined): Transcript {
  const tools: ToolUse[] = [];
  const answers: string[] = [];
  const questions = new Set<string>();
  let lastWords = '';
  for (const line of tailLines(file)) {
    const reading = readJson(line, tailBytes);
    if (!reading.ok || !isRecord(reading.value)) continue;
    visit(reading.value, 0, (value) => {
      const used = toolUse(value);
      if (used !== undefined) {
        tools.push(used);
        if (/ask_?user/i.test(used.name) && typeof value['id'] === 'string') questions.add(value['id']);
      } else if (value['type'] === 'tool_result' && questions.has(String(value['tool_use_id'])))
        answers.push(textOf(value['content']));
    });
    const said = wordsOf(reading.value);
    if (said !== '') lastWords = said;
  }
  return { tools, lastWords, answers };
}

/** Lines from the end of a file; the first may be cut and is dropped when the file is longer. */
function tailLines(file: string | undefined): string[] {
  if (file === undefined) return [];
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(handle);
    const length = Math.min(size, tailBytes);
    const bytes = Buffer.alloc(length);
    readSync(handle, bytes, 0, length, size - length);
    const lines = bytes.toString('utf8').split('\n');
    return size > length ? lines.slice(1) : lines;
  } catch {
    return [];
  } finally {
    closeSync(handle);
  }
}

function visit(value: unknown, depth: number, see: (record: Record<string, unknown>) => void): void {
  if (depth > deepest) return;
  if (Array.isArray(value)) for (const item of value) visit(item, depth + 1, see);
  else if (isRecord(value)) {
    see(value);
    for (const item of Object.values(value)) if (typeof item === 'object') visit(item, depth + 1, see);
  }
}

function toolUse(value: Record<string, unknown>): ToolUse | undefined {
  const name = value['name'];
  if (typeof name !== 'string') return undefined;
  for (const key of ['input', 'args', 'arguments']) {
    const input = value[key];
    if (isRecord(input)) return { name, input };
    if (typeof input === 'string') {
      const reading = readJson(input);
      if (reading.ok && isRecord(reading.value)) return { name, input: reading.value };
    }
  }
  return undefined;
}

/** The text of a line that the agent said, or ''. */
function wordsOf(line: Record<string, unknown>): string {
  const message = isRecord(line['message'])
    ? line['message']
    : isRecord(line['payload'])
      ? line['payload']
      : line;
  const role = message['role'] ?? line['type'];
  if (role !== 'assistant' && role !== 'gemini' && role !== 'model') return '';
  return textOf(message['content']);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .filter((text) => text !== '')
    .join('\n');
}
