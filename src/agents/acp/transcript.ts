import { isRecord } from '../../safe-json.ts';
import type { Signal } from '../drivers/driver.ts';

type Chunk = { text: string; message?: string };

/** What an agent has said during one prompt. Narration, warnings and the answer share one kind of chunk. */
export type Transcript = {
  /** Chunks since the last tool. */
  recent: Chunk[];
  /** The chunks before, kept for the case that a tool's last word comes after the answer. */
  earlier: Chunk[];
};

export const emptyTranscript: Transcript = { recent: [], earlier: [] };

/** Noise that agents put into their text. */
const noise = /^(\[MODE_UPDATE\] \S+|Info: [^\n]*Retrying\.\.\.|(\*\*)?Warning:[^\n]*)\s*/;

/** One update of a session: the transcript after it, and what it means to everybody else. */
export function readUpdate(
  transcript: Transcript,
  update: unknown,
): { transcript: Transcript; signals: readonly Signal[] } {
  if (!isRecord(update)) return { transcript, signals: [] };
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk': {
      const text = textOf(update['content']).replace(noise, '');
      if (text === '') return { transcript, signals: [] };
      const message = update['messageId'];
      const chunk: Chunk = typeof message === 'string' ? { text, message } : { text };
      return {
        transcript: { ...transcript, recent: [...transcript.recent, chunk] },
        signals: [{ type: 'text', text }],
      };
    }
    case 'tool_call':
      return {
        transcript: afterTool(transcript),
        signals: [{ type: 'tool-start', ...callOf(update), ...toolOf(update) }],
      };
    case 'tool_call_update': {
      const status = update['status'];
      const ended = status === 'completed' || status === 'failed';
      const signals: Signal[] = ended
        ? [{ type: 'tool-end', ...callOf(update), failed: status === 'failed' }]
        : [];
      return { transcript: ended ? afterTool(transcript) : transcript, signals };
    }
    default:
      return readNote(transcript, update);
  }
}

/** The answer: the last message where messages are told apart, else the text after the last tool. */
export function answerIn({ recent, earlier }: Transcript): string {
  const chunks = recent.some(({ text }) => text.trim() !== '') ? recent : earlier;
  const last = chunks.findLast(({ message }) => message !== undefined)?.message;
  return chunks
    .filter(({ message }) => last === undefined || message === last)
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** What was said after the last proper message: that is where some agents put their errors. */
export function trailingRemark({ recent }: Transcript): string {
  const last = recent.findLastIndex(({ message }) => message !== undefined);
  return recent
    .slice(last + 1)
    .map(({ text }) => text)
    .join('')
    .trim();
}

function afterTool(transcript: Transcript): Transcript {
  const { recent, earlier } = transcript;
  return { ...transcript, recent: [], earlier: recent.length > 0 ? recent : earlier };
}

/** Codex tells of its retries in private fields. */
function readNote(
  transcript: Transcript,
  update: Record<string, unknown>,
): { transcript: Transcript; signals: readonly Signal[] } {
  const meta = isRecord(update['_meta']) ? update['_meta'] : {};
  const codex = isRecord(meta['codex']) ? meta['codex'] : {};
  const error = isRecord(codex['error']) ? codex['error'] : undefined;
  if (error === undefined) return { transcript, signals: [] };
  const message = [error['message'], error['additionalDetails']]
    .filter((part) => typeof part === 'string')
    .join(' ');
  return { transcript, signals: [{ type: 'failure', message, passing: true }] };
}

function callOf({ toolCallId }: Record<string, unknown>): { call?: string } {
  return typeof toolCallId === 'string' ? { call: toolCallId } : {};
}

function toolOf(update: Record<string, unknown>): { tool: string; detail?: string } {
  const { kind, title } = update;
  const tool = typeof kind === 'string' ? kind : 'tool';
  return typeof title === 'string' ? { tool, detail: title.slice(0, 200) } : { tool };
}

function textOf(content: unknown): string {
  return isRecord(content) && typeof content['text'] === 'string' ? content['text'] : '';
}
