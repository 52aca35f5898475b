/** What a line of a Markdown file is. Kinds are numbers because a package has many lines and few need a closer look. */
export const lineKind = {
  text: 0,
  blank: 1,
  frontmatter: 2,
  fenceMark: 3,
  code: 4,
  comment: 5,
  heading: 6,
  quote: 7,
  table: 8,
} as const;

export type Heading = {
  level: number;
  title: string;
  /** Counted from 0; findings count from 1. */
  line: number;
  offset: number;
  /** Line of the next heading of the same or a higher level, or the number of lines. */
  endLine: number;
};

export type Fence = {
  /** First word of the info string, lower case. */
  language: string;
  openLine: number;
  /** Line of the closing marker; of the last line when the fence is never closed. */
  closeLine: number;
  closed: boolean;
  /** Offsets of the code between the markers. */
  start: number;
  end: number;
};

export type Quote = { line: number; endLine: number; text: string };

export type Table = { line: number; header: readonly string[]; rows: readonly TableRow[]; endLine: number };

export type TableRow = { line: number; cells: readonly string[] };

export type Comment = { line: number; text: string };

/** Where an offset lies, as far as rules care. */
export type Zone = 'prose' | 'inline-code' | 'fence' | 'comment' | 'frontmatter';

/** One Markdown file with its blocks and their positions. */
export type Document = {
  /** Path inside the package, with `/`. */
  path: string;
  text: string;
  /** Offset of each line's first character. */
  lineStarts: readonly number[];
  kinds: readonly number[];
  /** Offset of the first character after the frontmatter. */
  bodyStart: number;
  headings: readonly Heading[];
  fences: readonly Fence[];
  quotes: readonly Quote[];
  tables: readonly Table[];
  comments: readonly Comment[];
};

/** The line an offset lies on, counted from 0. */
export function lineAt(document: Document, offset: number): number {
  const { lineStarts } = document;
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The characters of a line without its ending. */
export function lineText(document: Document, line: number): string {
  const start = document.lineStarts[line];
  if (start === undefined) return '';
  const next = document.lineStarts[line + 1];
  let end = next === undefined ? document.text.length : next - 1;
  if (next === undefined && document.text.charCodeAt(end - 1) === 10) end -= 1;
  if (end > start && document.text.charCodeAt(end - 1) === 13) end -= 1;
  return document.text.slice(start, Math.max(start, end));
}

/** The text from one line up to, not including, another. */
export function linesText(document: Document, from: number, to: number): string {
  const start = document.lineStarts[from] ?? document.text.length;
  const end = document.lineStarts[to] ?? document.text.length;
  return document.text.slice(start, end);
}

export function zoneAt(document: Document, offset: number): Zone {
  const line = lineAt(document, offset);
  const kind = document.kinds[line];
  if (kind === lineKind.code || kind === lineKind.fenceMark) return 'fence';
  if (kind === lineKind.frontmatter) return 'frontmatter';
  if (kind === lineKind.comment) return 'comment';
  const start = document.lineStarts[line] ?? 0;
  return zoneInLine(spansOf(document, line), offset - start);
}

type Span = { from: number; to: number; zone: Zone };

/** Spans of the most recent line; rules ask about many offsets of one line in a row. */
const lastSpans = new WeakMap<Document, { line: number; spans: readonly Span[] }>();

function spansOf(document: Document, line: number): readonly Span[] {
  const last = lastSpans.get(document);
  if (last?.line === line) return last.spans;
  const spans = readSpans(lineText(document, line));
  lastSpans.set(document, { line, spans });
  return spans;
}

function zoneInLine(spans: readonly Span[], column: number): Zone {
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (span === undefined) break;
    if (column < span.from) high = middle - 1;
    else if (column >= span.to) low = middle + 1;
    else return span.zone;
  }
  return 'prose';
}

/** The inline code of one line, backticks included. */
export function codeSpans(line: string): { from: number; to: number }[] {
  return readSpans(line).filter(({ zone }) => zone === 'inline-code');
}

/** Inline code spans and comments of one line; both are closed by the end of the line. */
function readSpans(line: string): Span[] {
  const spans: Span[] = [];
  const unclosed = new Set<number>();
  let index = nextMark(line, 0);
  while (index < line.length) {
    if (line.charCodeAt(index) === 96) {
      let run = 1;
      while (line.charCodeAt(index + run) === 96) run += 1;
      const close = unclosed.has(run) ? -1 : closingRun(line, index + run, run);
      if (close >= 0) spans.push({ from: index, to: close + run, zone: 'inline-code' });
      else unclosed.add(run);
      index = close >= 0 ? close + run : index + run;
    } else if (line.startsWith('<!--', index)) {
      const close = line.indexOf('-->', index + 4);
      const to = close < 0 ? line.length : close + 3;
      spans.push({ from: index, to, zone: 'comment' });
      index = to;
    } else index += 1;
    index = nextMark(line, index);
  }
  return spans;
}

/** The next backtick or `<`. */
function nextMark(line: string, from: number): number {
  for (let index = from; index < line.length; index += 1) {
    const code = line.charCodeAt(index);
    if (code === 96 || code === 60) return index;
  }
  return line.length;
}

function closingRun(line: string, from: number, run: number): number {
  let index = line.indexOf('`', from);
  while (index >= 0) {
    let length = 1;
    while (line.charCodeAt(index + length) === 96) length += 1;
    if (length === run) return index;
    index = line.indexOf('`', index + length);
  }
  return -1;
}

/** The fence around a line, if the line is code or a marker. */
export function fenceAt(document: Document, line: number): Fence | undefined {
  let [low, high] = [0, document.fences.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const fence = document.fences[middle];
    if (fence === undefined) break;
    if (line < fence.openLine) high = middle - 1;
    else if (line > fence.closeLine) low = middle + 1;
    else return fence;
  }
  return undefined;
}

/**
 * How many leading lines are frontmatter, its two delimiters included. An opened block that is never closed counts
 * as none, so that its headings are still found.
 */
export function frontmatterLines(text: string, lineStarts: readonly number[]): number {
  const first = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith('---', first) || !isDelimiter(text, first)) return 0;
  const limit = Math.min(lineStarts.length, 500);
  for (let line = 1; line < limit; line += 1) {
    const start = lineStarts[line] ?? 0;
    if (text.charCodeAt(start) === 45 && isDelimiter(text, start)) return line + 1;
  }
  return 0;
}

/** Whether a frontmatter block is opened on the first line. */
export function opensFrontmatter(text: string): boolean {
  const first = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  return isDelimiter(text, first);
}

function isDelimiter(text: string, start: number): boolean {
  if (!text.startsWith('---', start)) return false;
  for (let index = start + 3; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 10) return true;
    if (code !== 32 && code !== 9 && code !== 13) return false;
  }
  return true;
}
