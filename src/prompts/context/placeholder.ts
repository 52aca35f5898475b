import { scanLines } from '../../base/text/markdown-lines.ts';
import { headingLevel } from '../../base/text/sections.ts';
import { fingerprint, knownLines, knownScaffolds } from './known-scaffolds.ts';
import { isPlaceholderLine, isTableDelimiter, isTreeLine } from './placeholder-line.ts';

/** A longer line is somebody's text; nothing that a scaffold writes comes near it. */
const longestScaffoldLine = 1_000;

/**
 * M-026, A-30: whether a document holds nothing a person wrote. Three layers: the whole file is a known scaffold, each
 * line is one of the scaffold for this token, or each line has a form that says nothing.
 */
export function isPlaceholderOnly(token: string, text: string): boolean {
  return saysNothing(token, text) || isKnownScaffold(token, text);
}

function saysNothing(token: string, text: string): boolean {
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

/** A-30, first layer: newlines normalised, so that a checkout with CRLF is still untouched. Few texts are hashed. */
function isKnownScaffold(token: string, text: string): boolean {
  const known = knownScaffolds(token);
  const longest = Math.max(0, ...known.map(({ characters }) => characters));
  if (text.length > 2 * longest) return false;
  const normalised = text.replaceAll('\r\n', '\n');
  return known.some(
    ({ characters, sha256 }) => characters === normalised.length && sha256 === hash(normalised),
  );
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
    written.has(line.trimEnd()) || (hashed.size > 0 && hashed.has(fingerprint(line.trimEnd())));
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

/** Fetched on need and not imported: loading it takes a fifth of the time that Node needs to start. */
function hash(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
