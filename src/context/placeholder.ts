import { createHash } from 'node:crypto';
import { scanLines } from '../text/markdown-lines.ts';
import { headingLevel } from '../text/sections.ts';
import { knownFileHashes, knownLines } from './known-scaffolds.ts';
import { isPlaceholderLine, isTableDelimiter, isTreeLine } from './placeholder-line.ts';

/** A longer line is somebody's text; nothing that a scaffold writes comes near it. */
const longestScaffoldLine = 1_000;

/** No scaffold is larger, so larger documents are not hashed. */
const largestScaffold = 32_768;

/**
 * M-026, A-30: whether a document holds nothing a person wrote. Three layers: the whole file is a known scaffold, each
 * line is one of the scaffold for this token, or each line has a form that says nothing.
 */
export function isPlaceholderOnly(token: string, text: string): boolean {
  if (text.length <= largestScaffold && isKnownScaffold(token, text)) return true;
  const isKnownLine = lineTest(token);
  let isEmpty = true;
  let headerRow = false;
  let commentOpen = false;
  scanLines(text, (kind, start, end) => {
    const delimits =
      kind === 'text' && end - start <= longestScaffoldLine && isTableDelimiter(text.slice(start, end));
    if (headerRow && !delimits) {
      isEmpty = false;
      return false;
    }
    headerRow = false;
    if (kind === 'comment') {
      const ended = text.slice(start, end).lastIndexOf('-->');
      const tail = ended < 0 ? '' : text.slice(start + ended + 3, end);
      // M-027: a line that starts a comment says nothing; text behind the end of a longer one does.
      isEmpty = !commentOpen || tail.trim() === '';
      commentOpen = ended < 0;
      return isEmpty;
    }
    commentOpen = false;
    if (kind === 'front-matter' || kind === 'fence-open' || kind === 'fence-close' || delimits) return true;
    if (isNeutral(kind === 'code', text, start, end, isKnownLine)) return true;
    headerRow = kind === 'text' && end - start <= longestScaffoldLine && text.slice(start, end).includes('|');
    isEmpty = headerRow;
    return isEmpty;
  });
  return isEmpty && !headerRow;
}

/** A-30, first layer: newlines normalised, so that a checkout with CRLF is still untouched. */
function isKnownScaffold(token: string, text: string): boolean {
  const known = knownFileHashes(token);
  return known.length > 0 && known.includes(sha256(text.replaceAll('\r\n', '\n')));
}

function isNeutral(
  inCode: boolean,
  text: string,
  start: number,
  end: number,
  isKnownLine: (line: string) => boolean,
): boolean {
  if (isBlank(text, start, end)) return true;
  if (!inCode && (headingLevel(text, start, end) > 0 || isQuote(text, start, end))) return true;
  if (end - start > longestScaffoldLine) return false;
  const line = text.slice(start, end);
  return (inCode ? isTreeLine(line) : isPlaceholderLine(line)) || isKnownLine(line);
}

/** A-30, second layer. */
function lineTest(token: string): (line: string) => boolean {
  const { written, hashed } = knownLines(token);
  return (line) =>
    written.has(line.trimEnd()) || (hashed.size > 0 && hashed.has(sha256(line.trimEnd()).slice(0, 16)));
}

function isQuote(text: string, start: number, end: number): boolean {
  let index = start;
  while (index < end && index < start + 3 && text[index] === ' ') index += 1;
  return index < end && text[index] === '>';
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 32 && (code < 9 || code > 13)) return false;
  }
  return true;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
