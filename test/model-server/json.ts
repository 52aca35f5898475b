import { isRecord } from '../../src/base/safe-json.ts';

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

/** Four parts, so that every streamed text arrives in pieces and a cut in the middle of an answer is seen in it. */
export function pieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 4));
  return [0, 1, 2, 3].map((part) => text.slice(part * size, (part + 1) * size));
}

export const serverEvent = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
