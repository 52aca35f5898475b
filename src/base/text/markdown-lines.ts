/** What a line is to a reader of Markdown. `code` lies between `fence-open` and `fence-close`. */
export type LineKind = 'front-matter' | 'fence-open' | 'code' | 'fence-close' | 'comment' | 'text';

/** One line. Offsets are UTF-16 indices into the scanned text, a leading BOM included. */
export type MarkdownLine = {
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
export type ScanEnd = { lines: number; openFence: boolean; openComment: boolean };

export type LineVisitor = (
  kind: LineKind,
  start: number,
  end: number,
  next: number,
  number: number,
) => boolean | undefined;

type Fence = { marker: number; length: number };

const lineFeed = 10;
const carriageReturn = 13;
const tab = 9;
const space = 32;
const backtick = 96;
const tilde = 126;
const byteOrderMark = 0xfeff;

/** Every line with its kind; see {@link scanLines} for texts too large to hold a list of lines. */
export function markdownLines(text: string): MarkdownLine[] {
  const lines: MarkdownLine[] = [];
  scanLines(text, (kind, start, end, next, number) => {
    lines.push({ kind, number, start, end, next });
    return true;
  });
  return lines;
}

/**
 * One linear pass that tells `visit` the kind of every line; a visitor that returns `false` stops the pass.
 * Only LF ends a line, a CR before it belongs to the ending, and a leading BOM belongs to no line.
 */
export function scanLines(text: string, visit: LineVisitor): ScanEnd {
  let start = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  const frontMatterEnd = frontMatterExtent(text)?.end ?? start;
  let fence: Fence | undefined;
  let inComment = false;
  let number = 0;
  while (start < text.length) {
    const feed = text.indexOf('\n', start);
    const next = feed < 0 ? text.length : feed + 1;
    const end = lineEnd(text, start, feed);
    number += 1;
    let kind: LineKind = 'text';
    if (start < frontMatterEnd) kind = 'front-matter';
    else if (fence !== undefined) {
      kind = closesFence(text, start, end, fence) ? 'fence-close' : 'code';
      if (kind === 'fence-close') fence = undefined;
    } else if (inComment) {
      kind = 'comment';
      inComment = !containsCommentEnd(text, start, end);
    } else {
      const first = skipIndent(text, start, end);
      const code = first < end ? text.charCodeAt(first) : 0;
      if (code === backtick || code === tilde) {
        fence = openedFence(text, first, end, code);
        if (fence !== undefined) kind = 'fence-open';
      } else if (code === 60 && text.startsWith('<!--', first)) {
        kind = 'comment';
        inComment = !containsCommentEnd(text, first + 2, end);
      }
    }
    if (visit(kind, start, end, next, number) === false) break;
    start = next;
  }
  return { lines: number, openFence: fence !== undefined, openComment: inComment };
}

/** The info string of a `fence-open` line: ` ```ts title="x" ` gives `ts title="x"`. */
export function fenceInfo(text: string, line: Pick<MarkdownLine, 'start' | 'end'>): string {
  let index = skipIndent(text, line.start, line.end);
  const marker = text.charCodeAt(index);
  while (index < line.end && text.charCodeAt(index) === marker) index += 1;
  return text.slice(index, line.end).trim();
}

export type FrontMatterExtent = {
  /** Start of the first line after the opening `---`. */
  contentStart: number;
  /** Start of the closing line. */
  contentEnd: number;
  /** Start of the first line after the closing one. */
  end: number;
};

/**
 * Where front matter lies, if the text begins with it. A-37: a leading `---` is a rule unless a closing `---` or
 * `...` follows and all between looks like YAML (comments alone are headings between two rules). With `anyContent` whatever stands between the two lines counts.
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

function openedFence(text: string, first: number, end: number, marker: number): Fence | undefined {
  let index = first;
  while (index < end && text.charCodeAt(index) === marker) index += 1;
  if (index - first < 3) return undefined;
  if (marker === backtick && indexWithin(text, '`', index, end)) return undefined;
  return { marker, length: index - first };
}

function closesFence(text: string, start: number, end: number, fence: Fence): boolean {
  const first = skipIndent(text, start, end);
  let index = first;
  while (index < end && text.charCodeAt(index) === fence.marker) index += 1;
  return index - first >= fence.length && isBlank(text, index, end);
}

function containsCommentEnd(text: string, start: number, end: number): boolean {
  return indexWithin(text, '-->', start, end);
}

/** Looks inside the line only: `text.indexOf` alone would read to the end of the text for every line. */
function indexWithin(text: string, wanted: string, start: number, end: number): boolean {
  return text.slice(start, end).includes(wanted);
}

/** Past up to three spaces; a fourth space or a tab makes indented code, so the start of the line is no marker. */
function skipIndent(text: string, start: number, end: number): number {
  let index = start;
  while (index < end && index < start + 3 && text.charCodeAt(index) === space) index += 1;
  return index;
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
