import { lineText } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';

/** A text whose last block of code is closed, so that it takes in nothing that is put behind it. */
export function closeFence(text: string): string {
  const document = parseDocument('text.md', text);
  const last = document.fences.at(-1);
  if (last === undefined || last.closed) return text;
  // In a list or a quote the end is as deep as the beginning; elsewhere it would open another block.
  const marks = /^[\s>]*[`~]{3,}/.exec(lineText(document, last.openLine))?.[0] ?? '```';
  return `${text.trimEnd()}\n${marks}`;
}
