import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent } from './port.ts';

/** What is kept of a call's events; its whole stream is in the file beside them. */
const limits = {
  /** Text that comes piece by piece becomes one event of about this many characters, or of what was said in this time. */
  textCharacters: 8192,
  textMs: 250,
  fileBytes: 8 * 1024 * 1024,
};

const cut: AgentEvent = {
  type: 'error',
  message: 'The events from here on are left out: there are too many. The stream has what was said.',
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
