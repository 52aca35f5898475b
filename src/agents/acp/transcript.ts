import { isRecord } from '../../base/safe-json.ts';
import type { Signal } from '../drivers/driver.ts';

/** A piece of text, linked to the one before it: appending costs the same for any number of pieces. */
type Chunk = { text: string; message?: string; before: Chunk | undefined };

/** What an agent has said during one prompt. Narration, warnings and the answer share one kind of chunk. */
export type Transcript = {
  /** The last chunk since the last tool. */
  recent: Chunk | undefined;
  /** That before the tool, kept for the case that a tool's last word comes after the answer. */
  earlier: Chunk | undefined;
};

export const emptyTranscript: Transcript = { recent: undefined, earlier: undefined };

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
      const chunk = { text, before: transcript.recent };
      return {
        transcript: { ...transcript, recent: typeof message === 'string' ? { ...chunk, message } : chunk },
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

/** The answer: the last message if messages have ids, else the text after the last tool. */
export function answerIn(transcript: Transcript): string {
  const [recent, earlier] = [inOrder(transcript.recent), inOrder(transcript.earlier)];
  const chunks = recent.some(({ text }) => text.trim() !== '') ? recent : earlier;
  const last = chunks.findLast(({ message }) => message !== undefined)?.message;
  return chunks
    .filter(({ message }) => last === undefined || message === last)
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** The text after the last proper message: some agents put their errors there. */
export function trailingRemark(transcript: Transcript): string {
  const recent = inOrder(transcript.recent);
  const last = recent.findLastIndex(({ message }) => message !== undefined);
  return recent
    .slice(last + 1)
    .map(({ text }) => text)
    .join('')
    .trim();
}

function afterTool({ recent, earlier }: Transcript): Transcript {
  return { recent: undefined, earlier: recent ?? earlier };
}

function inOrder(last: Chunk | undefined): Chunk[] {
  const chunks: Chunk[] = [];
  for (let chunk = last; chunk !== undefined; chunk = chunk.before) chunks.push(chunk);
  return chunks.reverse();
}

/** Codex reports its retries in private fields. */
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
