import { isRecord } from '../../src/safe-json.ts';

export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export const recordsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const stringOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise;

/** The text in a message's content, whatever shape the vendor gives it. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (!isRecord(content)) return '';
  if (typeof content['text'] === 'string') return content['text'];
  if ('content' in content) return textOf(content['content']);
  return JSON.stringify(content);
}

/** Two parts, so that every streamed text arrives in pieces. */
export function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

export const serverEvent = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
