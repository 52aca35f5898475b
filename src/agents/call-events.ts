import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeJsonAtomic } from '../base/files/atomic.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { redactCommand, withoutAddressCredentials } from '../base/text/secrets.ts';
import type { Reading } from './drivers/reading.ts';
import {
  type AgentEvent,
  type AgentTask,
  type CallContext,
  type LaneResult,
  laneKinds,
  type Usage,
} from './port.ts';
import { redact, TextRedactor } from './process/output.ts';
import type { AgentSettings } from './settings.ts';

/** The part of a call's events that is kept; the whole stream is in a file next to them. */
const limits = {
  /** Streamed text becomes one event of about this many characters, or of this much time. */
  textCharacters: 8192,
  textMs: 250,
  fileBytes: 8 * 1024 * 1024,
};

const cut: AgentEvent = {
  type: 'error',
  message: 'Too many events: the rest is omitted here and kept in the stream file.',
};

export type LaneEvents = { note: (event: AgentEvent) => void; close: () => void };

/** Notes what an agent does in `events.jsonl` of its lane, one event a line: whatever it says in whatever pieces, bounded. */
export function openLaneEvents(laneDirectory: string): LaneEvents {
  const file = openSync(path.join(laneDirectory, 'events.jsonl'), 'w');
  let bytes = 0;
  let text = '';
  let lastText = Number.NEGATIVE_INFINITY;
  let isOpen = true;
  const write = (event: AgentEvent) => {
    if (bytes > limits.fileBytes) return;
    const line = `${JSON.stringify(event)}\n`;
    bytes += Buffer.byteLength(line);
    writeSync(file, bytes > limits.fileBytes ? `${JSON.stringify(cut)}\n` : line);
  };
  const flush = () => {
    if (text === '') return;
    write({ type: 'text-delta', text });
    text = '';
    lastText = performance.now();
  };
  return {
    note(event) {
      if (!isOpen) return;
      if (event.type === 'text-delta') {
        text += event.text;
        if (text.length >= limits.textCharacters || performance.now() - lastText >= limits.textMs) flush();
      } else {
        flush();
        write(event);
      }
    },
    close() {
      isOpen = false;
      try {
        flush();
      } finally {
        closeSync(file);
      }
    },
  };
}

/**
 * The context of a call whose events are redacted. Many agents send their text in small pieces, each in a separate line,
 * so that none of the lines has the whole secret: the end of a piece that may begin one waits for what follows. Usage, retries and
 * the like come in the middle of a message; a tool that starts ends it, and so does the end of the call.
 */
export function redactedCall(
  context: CallContext,
  secrets: readonly string[],
): { context: CallContext; end: () => void; cameInPieces: () => boolean } {
  const redactor = new TextRedactor(secrets);
  const say = (text: string) => {
    if (text !== '') context.onEvent({ type: 'text-delta', text });
  };
  const end = () => say(redactor.end());
  return {
    context: {
      ...context,
      onEvent(event) {
        if (event.type === 'text-delta') return say(redactor.push(event.text));
        if (event.type === 'tool-start') end();
        context.onEvent(redactedEvent(event, secrets));
      },
    },
    end,
    // The stream was redacted before it was read: what is still found here was in no line of it as a whole.
    cameInPieces: () => redactor.found,
  };
}

/** The event without any secret in its words. */
function redactedEvent(event: AgentEvent, secrets: readonly string[]): AgentEvent {
  switch (event.type) {
    case 'tool-start': {
      const { tool, detail } = event;
      const given = detail === undefined ? {} : { detail: redact(secrets, detail) };
      return { ...event, tool: redact(secrets, tool), ...given };
    }
    case 'tool-end':
      return { ...event, tool: redact(secrets, event.tool) };
    case 'retry':
      return { ...event, reason: redact(secrets, event.reason) };
    case 'error':
      return { ...event, message: redact(secrets, event.message) };
    default:
      return event;
  }
}

/** Redacts whole texts, which were streamed in pieces. */
export function redactedReading(reading: Reading, secrets: readonly string[]): Reading {
  const { text, lastText, failure, value } = reading;
  return {
    ...reading,
    ...(value === undefined ? {} : { value: withoutAddressCredentials(value) }),
    text: redact(secrets, text),
    lastText: redact(secrets, lastText),
    ...(failure === undefined ? {} : { failure: { ...failure, message: redact(secrets, failure.message) } }),
  };
}

/**
 * A handle to continue a conversation: the agent's own id and the lane whose HOME holds it. Agents keep conversations in
 * HOME, and every lane has its own, so the id alone would not find it again.
 */
export function formatHandle(session: string, laneDirectory: string): string {
  return `${session}@${laneDirectory}`;
}

export function parseHandle(handle: string): { session: string; laneDirectory: string } | undefined {
  const at = handle.indexOf('@/');
  if (at < 1) return undefined;
  return { session: handle.slice(0, at), laneDirectory: handle.slice(at + 1) };
}

/** The conversation's total so far, for agents whose reports include earlier runs. */
export async function readTotal(laneDirectory: string, session: string): Promise<Usage | undefined> {
  const text = await readTextFile(totalFile(laneDirectory, session));
  const reading = text === undefined ? undefined : readJson(text);
  if (!reading?.ok || !isRecord(reading.value)) return undefined;
  const { inputTokens, cachedInputTokens, outputTokens } = reading.value;
  if (![inputTokens, cachedInputTokens, outputTokens].every((count) => typeof count === 'number'))
    return undefined;
  return reading.value as unknown as Usage;
}

export async function writeTotal(laneDirectory: string, session: string, total: Usage): Promise<void> {
  const file = totalFile(laneDirectory, session);
  await mkdir(path.dirname(file), { recursive: true });
  await writeJsonAtomic(file, total);
}

/** The id comes from an agent's output: it never becomes a path unchanged. */
function totalFile(laneDirectory: string, session: string): string {
  const name = createHash('sha256').update(session).digest('hex').slice(0, 24);
  return path.join(laneDirectory, 'sessions', `${name}.json`);
}

const fileName = 'agent-result.json';

/** Saves the result next to the stream, with a digest of the request it answers. */
export async function writeAnswer(
  task: AgentTask,
  settings: AgentSettings,
  result: LaneResult,
): Promise<void> {
  const file = path.join(task.laneDirectory, fileName);
  // Whole or not at all; it need not outlive a power cut, so it does not wait for the disk.
  await writeFile(`${file}.tmp`, `${JSON.stringify({ request: markOf(task, settings), ...result })}\n`);
  await rename(`${file}.tmp`, file);
}

/** The answer this very request already got in this lane. Failures are not kept: asking again may heal them. */
export async function readAnswer(task: AgentTask, settings: AgentSettings): Promise<LaneResult | undefined> {
  const text = await readTextFile(path.join(task.laneDirectory, fileName));
  const reading = text === undefined ? undefined : readJson(text);
  if (!reading?.ok || !isRecord(reading.value)) return undefined;
  const { request, ...result } = reading.value;
  if (request !== markOf(task, settings) || result['kind'] !== laneKinds[0]) return undefined;
  return result as unknown as LaneResult;
}

function markOf(task: AgentTask, settings: AgentSettings): string {
  const { run, seat, attempt, prompt, directory, access, schema, resume } = task;
  const { id, protocol, model } = settings;
  // A different key does not change the request.
  const command = settings.command === undefined ? undefined : redactCommand(settings.command).shown;
  const facts = [
    task.task,
    run,
    seat,
    attempt,
    prompt,
    directory,
    access,
    schema,
    resume,
    id,
    protocol,
    command,
    model,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
