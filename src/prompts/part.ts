import type { JsonSchema } from '../agents/port.ts';
import { bounded, readable, type Untrusted } from './untrusted.ts';

/** A named piece of a prompt: fixed words, or text by others that the composer delimits. */
export type Part = {
  /** Unique within a prompt; `<task>/<name>` is the key of a project's override. */
  name: string;
  heading?: string;
  /** Our own words. */
  text?: string;
  /** Text by others, after our own words. */
  untrusted?: readonly Untrusted[];
  /** Facts of this call rather than wording: a project cannot replace it. */
  protected?: boolean;
};

/** How the answer must look; every prompt says it. */
export type Answer =
  | { kind: 'json'; schema: JsonSchema; lead?: string }
  | { kind: 'shape'; shape: string }
  | { kind: 'text'; rules: string };

/** A prompt before it is put together: what stays the same for a role, what the answer looks like, what changes. */
export type PromptDraft = {
  task: string;
  fixed: readonly Part[];
  answer: Answer;
  changing: readonly Part[];
  /** T-099: in a continued session there is no prefix to keep, and the schema closes the message. */
  answerLast?: boolean;
};

/** A part of our own words. */
export function words(name: string, text: string, heading?: string): Part {
  return heading === undefined ? { name, text } : { name, heading, text };
}

/** The user's own words: the instruction itself, so they are not delimited as data. No part when there are none. */
export function request(
  name: string,
  content: string | undefined,
  { heading, text, limit }: { heading: string; text?: string; limit?: number },
): Part[] {
  if (content === undefined || content.trim() === '') return [];
  const shown = bounded(readable(content), limit);
  return [words(name, text === undefined ? shown : `${text}\n${shown}`, heading)];
}

/** A part that carries one text by others. */
export function data(
  tag: string,
  content: string,
  {
    name = tag,
    heading,
    text,
    limit,
  }: { name?: string; heading?: string; text?: string; limit?: number } = {},
): Part {
  return {
    name,
    ...(heading === undefined ? {} : { heading }),
    ...(text === undefined ? {} : { text }),
    untrusted: [limit === undefined ? { tag, content } : { tag, content, limit }],
  };
}

/** The part in a list when there is content for it, no part otherwise. */
export function optionalData(
  tag: string,
  content: string | undefined,
  details: Parameters<typeof data>[2] = {},
): Part[] {
  return content === undefined || content.trim() === '' ? [] : [data(tag, content, details)];
}
