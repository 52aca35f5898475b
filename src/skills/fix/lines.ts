import type { Document } from '../document/document.ts';

/** Lines of a text with their endings kept apart, so that edits do not change how a file ends its lines. */
export type Lines = { lines: string[]; newline: '\n' | '\r\n'; finalNewline: boolean };

export function toLines(text: string): Lines {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const finalNewline = text.endsWith('\n');
  const lines = text.split(/\r?\n/);
  if (finalNewline) lines.pop();
  return { lines, newline, finalNewline };
}

export function fromLines({ lines, newline, finalNewline }: Lines): string {
  return lines.join(newline) + (finalNewline ? newline : '');
}

/** Replaces `[from, to)` by other lines. Of several at one place the later one comes first. */
export type LineEdit = { from: number; to: number; insert: readonly string[] };

export function applyLineEdits(document: Document, edits: readonly LineEdit[]): string {
  if (edits.length === 0) return document.text;
  const parts = toLines(document.text);
  const lines: string[][] = [];
  let done = 0;
  for (const { from, to, insert } of edits.toReversed().sort((a, b) => a.from - b.from || a.to - b.to)) {
    lines.push(parts.lines.slice(done, from), [...insert]);
    done = Math.max(done, to);
  }
  lines.push(parts.lines.slice(done));
  return fromLines({ ...parts, lines: lines.flat() });
}
