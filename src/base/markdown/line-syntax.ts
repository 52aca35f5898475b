import type { Heading, Table, TableRow } from './document.ts';

/** A fence that has begun. */
export type OpenFence = {
  marker: number;
  length: number;
  indent: number;
  /** Content column of the list item around the fence; a line left of it ends the item and the fence. */
  container: number;
  quoted: boolean;
  language: string;
  openLine: number;
  start: number;
  /** Inner fences opened by a marker with a language, inside a Markdown sample. */
  depth: number;
};

/** Where each line begins. */
export function startsOfLines(text: string): number[] {
  const starts = [0];
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', feed + 1)) {
    if (feed + 1 < text.length) starts.push(feed + 1);
  }
  return starts;
}

/** A section ends where the next heading of its level or above begins. */
export function endHeadings(headings: Heading[], count: number): void {
  const open: Heading[] = [];
  for (const heading of headings) {
    while (open.length > 0 && (open.at(-1)?.level ?? 0) >= heading.level) {
      const closed = open.pop();
      if (closed !== undefined) closed.endLine = heading.line;
    }
    heading.endLine = count;
    open.push(heading);
  }
}

/** The words of an ATX heading, closing marks left out. */
export function headingTitle(raw: string): string {
  return raw
    .trim()
    .replace(/(?:^|[ \t])#+$/, '')
    .trim();
}

/** The first character of a list marker. */
export function isListStart(code: number): boolean {
  return code === 45 || code === 42 || code === 43 || (code >= 48 && code <= 57);
}

/** `---` or `***`, blanks between allowed. */
export function isThematicBreak(text: string, start: number, end: number): boolean {
  const marker = text.charCodeAt(start);
  if (marker !== 45 && marker !== 42) return false;
  let count = 0;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === marker) count += 1;
    else if (code !== 32 && code !== 9) return false;
  }
  return count >= 3;
}

/** Where the text of a quoted line begins. */
export function pastQuoteMarks(text: string, start: number, end: number): number {
  let index = start;
  while (index < end) {
    const code = text.charCodeAt(index);
    if (code !== 62 && code !== 32 && code !== 9) break;
    index += 1;
  }
  return index;
}

/** How often a character repeats from here. */
export function runLength(text: string, start: number, end: number, marker: number): number {
  let index = start;
  while (index < end && text.charCodeAt(index) === marker) index += 1;
  return index - start;
}

/** A line of fence marks, at least as many as opened it, and nothing else. */
export function closesFence(text: string, start: number, end: number, fence: OpenFence): boolean {
  const length = runLength(text, start, end, fence.marker);
  if (length < fence.length) return false;
  for (let index = start + length; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 32 && code !== 9) return false;
  }
  return true;
}

/** The language of a Markdown sample. */
export function isMarkdown(language: string): boolean {
  return language === 'md' || language === 'markdown';
}

/** A marker with a language inside a Markdown sample. */
export function opensInner(text: string, from: number, end: number, fence: OpenFence): boolean {
  if (!isMarkdown(fence.language) || text.charCodeAt(from) !== fence.marker) return false;
  const length = runLength(text, from, end, fence.marker);
  return (
    length >= fence.length &&
    /^[ \t]*[A-Za-z]/.test(text.slice(from + length, Math.min(end, from + length + 8)))
  );
}

/** `| --- | :-: |`: only pipes, dashes, colons and blanks, with at least one dash and one pipe. */
export function isDelimiterRow(text: string, start: number, end: number): boolean {
  let dashes = 0;
  let pipes = 0;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 45) dashes += 1;
    else if (code === 124) pipes += 1;
    else if (code !== 58 && code !== 32 && code !== 9) return false;
  }
  return dashes > 0 && pipes > 0;
}

/** The table with this delimiter row; undefined when the line above is not its header. */
export function parseTable(
  text: string,
  lineStarts: readonly number[],
  delimiter: number,
  endOf: (line: number) => number,
): Table | undefined {
  const lineOf = (line: number) => text.slice(lineStarts[line] ?? 0, endOf(line));
  const header = splitCells(lineOf(delimiter - 1));
  if (header.length === 0 || header.length !== splitCells(lineOf(delimiter)).length) return undefined;
  const rows: TableRow[] = [];
  let line = delimiter + 1;
  for (; line < lineStarts.length; line += 1) {
    const row = lineOf(line);
    if (!row.includes('|')) break;
    rows.push({ line, cells: splitCells(row) });
  }
  return { line: delimiter - 1, header, rows, endLine: line };
}

/** Cells of a row, trimmed; `\\|` stays inside its cell. */
function splitCells(row: string): string[] {
  const trimmed = row.trim();
  let end = trimmed.indexOf('|');
  if (end < 0) return [];
  const cells: string[] = [];
  let start = 0;
  if (end === 0) {
    start = 1;
    end = trimmed.indexOf('|', 1);
  }
  for (; end >= 0; end = trimmed.indexOf('|', end + 1)) {
    if (trimmed.charCodeAt(end - 1) === 92) continue;
    cells.push(cellText(trimmed.slice(start, end)));
    start = end + 1;
  }
  const last = trimmed.slice(start);
  if (last !== '') cells.push(cellText(last));
  return cells;
}

function cellText(raw: string): string {
  const text = raw.trim();
  return text.includes('\\|') ? text.replaceAll('\\|', '|') : text;
}
