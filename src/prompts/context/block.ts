import { blockHeader } from './defaults.ts';
import type { FileReport } from './result.ts';

/** A file's place in the block; its kept text is passed beside the report. */
export type BlockSection = { file: FileReport; text: string };

/**
 * M-040…M-045: header, blank line, then per file the citation, its text and, if it was cut, a marker; last the warnings.
 * All lines of ours end in LF, and the block ends in one.
 */
export function renderBlock(sections: readonly BlockSection[], unreadable: readonly FileReport[]): string {
  const parts = [blockHeader, ...sections.map(renderSection)];
  if (unreadable.length > 0) parts.push(warningsLine(unreadable));
  return `${parts.join('\n\n')}\n`;
}

function renderSection({ file, text }: BlockSection): string {
  const citation = `> source: ${file.path}`;
  const content = withoutFinalNewlines(text);
  const cited = content === '' ? citation : `${citation}\n${content}`;
  return file.state === 'cut' ? `${cited}\n\n${marker(file)}` : cited;
}

function marker(file: FileReport): string {
  return `> truncated: ${file.token}.md at char_offset=${file.offset ?? 0}`;
}

function warningsLine(unreadable: readonly FileReport[]): string {
  const entries = unreadable.map(({ token, reason }) => `${token} unreadable: ${reason ?? 'io error'}`);
  return `> warnings: [${entries.join(', ')}]`;
}

/** newlines at the end go, nothing else. */
function withoutFinalNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= end > 1 && text[end - 2] === '\r' ? 2 : 1;
  return end === text.length ? text : text.slice(0, end);
}

/** whether a line of a document looks like one of ours. */
export function imitatesOurs(line: string): boolean {
  return line === blockHeader || /^> (?:source: |truncated: .* at char_offset=|warnings: \[)/.test(line);
}
