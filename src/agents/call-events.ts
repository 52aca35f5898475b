import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { withoutAddressCredentials } from '../base/text/secrets.ts';
import type { Reading } from './drivers/reading.ts';
import type { AgentEvent, CallContext } from './port.ts';
import { redact, TextRedactor } from './process/redact.ts';

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
