import { codeSpans, type Document, lineKind, lineText } from './document.ts';
import { parseBlocks } from './parse.ts';

/** What a line is to a reader of Markdown. `code` lies between `fence-open` and `fence-close`. */
type LineKind = 'front-matter' | 'fence-open' | 'code' | 'fence-close' | 'comment' | 'text';

/** One line. Offsets are UTF-16 indices into the scanned text, a leading BOM included. */
type MarkdownLine = {
  kind: LineKind;
  /** Counted from 1. */
  number: number;
  start: number;
  /** End of the line's own characters, before CR and LF. */
  end: number;
  /** Start of the next line, or the length of the text. */
  next: number;
};

/** What was still open when the text ended. */
type ScanEnd = { lines: number; openFence: boolean; openComment: boolean };

type LineVisitor = (
  kind: LineKind,
  start: number,
  end: number,
  next: number,
  number: number,
) => boolean | undefined;

const lineFeed = 10;
const carriageReturn = 13;
const tab = 9;
const space = 32;
const byteOrderMark = 0xfeff;

/** Every line with its kind. */
export function markdownLines(text: string): MarkdownLine[] {
  const lines: MarkdownLine[] = [];
  scanLines(text, (kind, start, end, next, number) => {
    lines.push({ kind, number, start, end, next });
    return true;
  });
  return lines;
}

/**
 * Passes every line with its kind to `visit`; a visitor that returns `false` stops the pass. Only LF ends a line, a CR before it
 * belongs to the ending, and a leading BOM belongs to no line.
 */
export function scanLines(text: string, visit: LineVisitor): ScanEnd {
  const { lineStarts, kinds, fences, comments } = readStrictly(text);
  const opening = new Set(fences.map(({ openLine }) => openLine));
  const commented = new Set(comments.map(({ line }) => line));
  let number = 0;
  for (let line = 0; line < lineStarts.length; line += 1) {
    const start = line === 0 && text.charCodeAt(0) === byteOrderMark ? 1 : (lineStarts[line] ?? 0);
    if (start >= text.length) break;
    const next = lineStarts[line + 1] ?? text.length;
    const end = lineEnd(text, start, text.charCodeAt(next - 1) === lineFeed ? next - 1 : -1);
    number += 1;
    let kind = kindNames[kinds[line] ?? lineKind.text] ?? 'text';
    if (kind === 'fence-close' && opening.has(line)) kind = 'fence-open';
    else if (commented.has(line)) kind = 'comment';
    if (visit(kind, start, end, next, number) === false) break;
  }
  const fence = fences.at(-1);
  const comment = comments.at(-1);
  return {
    lines: number,
    openFence: fence?.closed === false && fence.closeLine === lineStarts.length - 1,
    openComment: comment !== undefined && !comment.text.includes('-->'),
  };
}

/** The blocks of a text as CommonMark reads them, without the second reading of nested fences. */
export function readStrictly(text: string): Document {
  return parseBlocks('', text, { nesting: false, bodyStart: frontMatterExtent(text)?.end ?? 0 });
}

const kindNames: Readonly<Record<number, LineKind>> = {
  [lineKind.frontmatter]: 'front-matter',
  [lineKind.fenceMark]: 'fence-close',
  [lineKind.code]: 'code',
  [lineKind.comment]: 'comment',
};

/** The info string of a `fence-open` line: ` ```ts title="x" ` gives `ts title="x"`. */
export function fenceInfo(text: string, line: Pick<MarkdownLine, 'start' | 'end'>): string {
  const marker = /^[^`~]*(?:`+|~+)/;
  return text.slice(line.start, line.end).replace(marker, '').trim();
}

type FrontMatterExtent = {
  /** Start of the first line after the opening `---`. */
  contentStart: number;
  /** Start of the closing line. */
  contentEnd: number;
  /** Start of the first line after the closing one. */
  end: number;
};

/**
 * Where front matter lies, if the text begins with it. A-37: a leading `---` is a rule unless a closing `---` or
 * `...` follows and all between looks like YAML (comments alone are headings between two rules). With `anyContent` any text between the two lines counts.
 */
export function frontMatterExtent(text: string, anyContent = false): FrontMatterExtent | undefined {
  const first = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  if (!text.startsWith('---', first)) return undefined;
  let feed = text.indexOf('\n', first);
  if (feed < 0 || !isBlank(text, first + 3, feed)) return undefined;
  const contentStart = feed + 1;
  let start = contentStart;
  let hasEntry = false;
  let commentsOnly = false;
  while (start < text.length) {
    feed = text.indexOf('\n', start);
    const next = feed < 0 ? text.length : feed + 1;
    const end = lineEnd(text, start, feed);
    if (isDelimiter(text, start, end)) {
      return commentsOnly ? undefined : { contentStart, contentEnd: start, end: next };
    }
    if (!anyContent) {
      const shape = yamlShape(text, start, end);
      if (shape === 'other' || (shape === 'indented' && !hasEntry)) return undefined;
      hasEntry ||= shape === 'entry';
      commentsOnly = !hasEntry && (commentsOnly || shape === 'comment');
    }
    start = next;
  }
  return undefined;
}

function lineEnd(text: string, start: number, feed: number): number {
  if (feed < 0) return text.length;
  return feed > start && text.charCodeAt(feed - 1) === carriageReturn ? feed - 1 : feed;
}

function isDelimiter(text: string, start: number, end: number): boolean {
  if (!text.startsWith('---', start) && !text.startsWith('...', start)) return false;
  return isBlank(text, start + 3, end);
}

function yamlShape(
  text: string,
  start: number,
  end: number,
): 'blank' | 'comment' | 'entry' | 'indented' | 'other' {
  if (isBlank(text, start, end)) return 'blank';
  const code = text.charCodeAt(start);
  if (code === space || code === tab) return 'indented';
  if (code === 35) return isCommentNotHeading(text, start, end) ? 'comment' : 'other';
  if (code === 45) return isSpaceOrEnd(text, start + 1, end) ? 'entry' : 'other';
  return hasKey(text, start, end) ? 'entry' : 'other';
}

/** `# note` is a YAML comment, but `## Title` right after a rule is the document's own heading. */
function isCommentNotHeading(text: string, start: number, end: number): boolean {
  return start + 1 >= end || text.charCodeAt(start + 1) !== 35;
}

/** A key is at most 200 characters, so that a prose line with a late colon costs nothing and does not count. */
function hasKey(text: string, start: number, end: number): boolean {
  const limit = Math.min(end, start + 200);
  for (let index = start + 1; index < limit; index += 1) {
    if (text.charCodeAt(index) === 58) return isSpaceOrEnd(text, index + 1, end);
  }
  return false;
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== space && code !== tab && code !== carriageReturn && code !== lineFeed) return false;
  }
  return true;
}

function isSpaceOrEnd(text: string, index: number, end: number): boolean {
  if (index >= end) return true;
  const code = text.charCodeAt(index);
  return code === space || code === tab;
}

/** A text without its closed fences and code spans. An unclosed fence and an unclosed span stay. */
export function withoutCode(text: string): string {
  const document = readStrictly(text);
  const fences = document.fences.filter(({ closed }) => closed);
  const kept: string[] = [];
  let next = 0;
  for (let line = 0; line < document.lineStarts.length; line += 1) {
    const fence = fences[next];
    if (fence === undefined || line < fence.openLine) kept.push(withoutSpans(lineText(document, line)));
    else if (line === fence.closeLine) next += 1;
  }
  return kept.join('\n');
}

function withoutSpans(line: string): string {
  let result = '';
  let end = 0;
  for (const { from, to } of codeSpans(line)) {
    result += `${line.slice(end, from)} `;
    end = to;
  }
  return result + line.slice(end);
}
