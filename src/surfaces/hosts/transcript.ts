import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isRecord, readJson } from '../../base/safe-json.ts';

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
