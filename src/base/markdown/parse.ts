import {
  type Comment,
  type Document,
  type Fence,
  frontmatterLines,
  type Heading,
  lineKind,
  type Quote,
  type Table,
  type TableRow,
} from './document.ts';

/** A fence that has begun. */
type OpenFence = {
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
function startsOfLines(text: string): number[] {
  const starts = [0];
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', feed + 1)) {
    if (feed + 1 < text.length) starts.push(feed + 1);
  }
  return starts;
}

/** A section ends where the next heading of its level or above begins. */
function endHeadings(headings: Heading[], count: number): void {
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
function headingTitle(raw: string): string {
  return raw
    .trim()
    .replace(/(?:^|[ \t])#+$/, '')
    .trim();
}

/** The first character of a list marker. */
function isListStart(code: number): boolean {
  return code === 45 || code === 42 || code === 43 || (code >= 48 && code <= 57);
}

/** `---` or `***`, blanks between allowed. */
function isThematicBreak(text: string, start: number, end: number): boolean {
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
function pastQuoteMarks(text: string, start: number, end: number): number {
  let index = start;
  while (index < end) {
    const code = text.charCodeAt(index);
    if (code !== 62 && code !== 32 && code !== 9) break;
    index += 1;
  }
  return index;
}

/** How often a character repeats from here. */
function runLength(text: string, start: number, end: number, marker: number): number {
  let index = start;
  while (index < end && text.charCodeAt(index) === marker) index += 1;
  return index - start;
}

/** A line of fence marks, at least as many as opened it, and nothing else. */
function closesFence(text: string, start: number, end: number, fence: OpenFence): boolean {
  const length = runLength(text, start, end, fence.marker);
  if (length < fence.length) return false;
  for (let index = start + length; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 32 && code !== 9) return false;
  }
  return true;
}

/** The language of a Markdown sample. */
function isMarkdown(language: string): boolean {
  return language === 'md' || language === 'markdown';
}

/** A marker with a language inside a Markdown sample. */
function opensInner(text: string, from: number, end: number, fence: OpenFence): boolean {
  if (!isMarkdown(fence.language) || text.charCodeAt(from) !== fence.marker) return false;
  const length = runLength(text, from, end, fence.marker);
  return (
    length >= fence.length &&
    /^[ \t]*[A-Za-z]/.test(text.slice(from + length, Math.min(end, from + length + 8)))
  );
}

/** `| --- | :-: |`: only pipes, dashes, colons and blanks, with at least one dash and one pipe. */
function isDelimiterRow(text: string, start: number, end: number): boolean {
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
function parseTable(
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

const listMarker = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;

/** Reads a Markdown file: fences, headings, tables, quotes, comments, each with its lines. */
export function parseDocument(path: string, text: string): Document {
  const document = parseBlocks(path, text, { nesting: true });
  // People nest ``` in ```markdown; when that reading leaves a fence open to the end, the strict one decides.
  const open = document.fences.some(({ closed, language }) => !closed && isMarkdown(language));
  return open ? parseBlocks(path, text, { nesting: false }) : document;
}

/** Reads the lines once. `bodyStart`: where the text after the frontmatter begins, if the caller has found it. */
export function parseBlocks(
  path: string,
  text: string,
  { nesting, bodyStart }: { nesting: boolean; bodyStart?: number },
): Document {
  const lineStarts = startsOfLines(text);
  const count = lineStarts.length;
  const kinds = new Array<number>(count).fill(lineKind.text);
  const headings: Heading[] = [];
  const fences: Fence[] = [];
  const quotes: Quote[] = [];
  const tables: Table[] = [];
  const comments: Comment[] = [];
  const lists: number[] = [];
  let fence: OpenFence | undefined;
  let commentStart = -1;
  let quoteStart = -1;
  const frontLines =
    bodyStart === undefined
      ? frontmatterLines(text, lineStarts)
      : lineStarts.filter((start) => start < bodyStart).length;
  kinds.fill(lineKind.frontmatter, 0, frontLines);

  const endOf = (line: number): number => {
    const next = lineStarts[line + 1];
    let end = next === undefined ? text.length - (text.endsWith('\n') ? 1 : 0) : next - 1;
    if (end > (lineStarts[line] ?? 0) && text.charCodeAt(end - 1) === 13) end -= 1;
    return end;
  };
  const closeFence = (line: number, closed: boolean, end: number) => {
    if (fence === undefined) return;
    const { language, openLine, start } = fence;
    fences.push({ language, openLine, closeLine: line, closed, start, end: Math.max(start, end) });
    fence = undefined;
  };
  const closeQuote = (line: number) => {
    if (quoteStart < 0) return;
    if (line > quoteStart) {
      const from = lineStarts[quoteStart] ?? 0;
      quotes.push({
        line: quoteStart,
        endLine: line,
        text: text.slice(from, lineStarts[line] ?? text.length),
      });
    }
    quoteStart = -1;
  };

  for (let line = frontLines; line < count; line += 1) {
    const start = lineStarts[line] ?? 0;
    const end = endOf(line);
    // A byte order mark is not part of the first line.
    let first = start === 0 && text.charCodeAt(0) === 0xfeff ? 1 : start;
    let indent = 0;
    while (first < end) {
      const code = text.charCodeAt(first);
      if (code === 32) indent += 1;
      else if (code === 9) indent += 4 - (indent % 4);
      else break;
      first += 1;
    }
    const blank = first >= end;
    let code = blank ? 0 : text.charCodeAt(first);

    if (fence !== undefined) {
      const left = !blank && indent < fence.container && !fence.quoted;
      const unquoted = fence.quoted && code !== 62;
      if (!left && !unquoted) {
        const from = fence.quoted ? pastQuoteMarks(text, first, end) : first;
        const closes =
          text.charCodeAt(from) === fence.marker &&
          (fence.quoted || indent <= fence.container + 3) &&
          closesFence(text, from, end, fence);
        if (closes && fence.depth > 0) {
          fence.depth -= 1;
          kinds[line] = lineKind.code;
          continue;
        }
        if (nesting && !closes && opensInner(text, from, end, fence)) fence.depth += 1;
        kinds[line] = closes ? lineKind.fenceMark : lineKind.code;
        if (closes) closeFence(line, true, start);
        continue;
      }
      closeFence(line - 1, false, start);
    }
    if (commentStart >= 0) {
      kinds[line] = lineKind.comment;
      if (text.slice(start, end).includes('-->')) {
        comments.push({ line: commentStart, text: text.slice(lineStarts[commentStart] ?? 0, end) });
        commentStart = -1;
      }
      continue;
    }
    if (blank) {
      kinds[line] = lineKind.blank;
      closeQuote(line);
      continue;
    }
    if (
      lists.length > 0 ||
      indent > 0 ||
      code === 45 ||
      code === 42 ||
      code === 43 ||
      (code >= 48 && code <= 57)
    ) {
      while (lists.length > 0 && (lists.at(-1) ?? 0) > indent) lists.pop();
      // A marker may be followed by another one or by a fence on the same line.
      for (let depth = 0; depth < 4 && indent - (lists.at(-1) ?? 0) <= 3; depth += 1) {
        const marker = isListStart(code)
          ? listMarker.exec(text.slice(first, Math.min(end, first + 16)))
          : null;
        if (marker === null || isThematicBreak(text, first, end)) break;
        const width = marker[0].trimEnd().length + 1;
        lists.push(indent + width);
        indent += marker[0].length;
        first += marker[0].length;
        code = first < end ? text.charCodeAt(first) : 0;
      }
    }
    const relative = indent - (lists.at(-1) ?? 0);
    const quoted = code === 62;
    if (quoted && relative <= 3) {
      kinds[line] = lineKind.quote;
      if (quoteStart < 0) quoteStart = line;
    } else closeQuote(line);
    const from = quoted ? pastQuoteMarks(text, first, end) : first;
    const marker = text.charCodeAt(from);
    if ((marker === 96 || marker === 126) && relative <= 3) {
      const length = runLength(text, from, end, marker);
      const info = text.slice(from + length, end);
      if (length >= 3 && (marker === 126 || !info.includes('`'))) {
        kinds[line] = lineKind.fenceMark;
        closeQuote(line);
        fence = {
          marker,
          length,
          indent,
          container: lists.at(-1) ?? 0,
          quoted,
          language: (info.trim().split(/[\s{,]/, 1)[0] ?? '').toLowerCase(),
          openLine: line,
          start: lineStarts[line + 1] ?? text.length,
          depth: 0,
        };
        continue;
      }
    }
    if (quoted) continue;
    if (code === 35 && relative <= 3 && lists.length === 0) {
      const level = runLength(text, first, end, 35);
      const after = text.charCodeAt(first + level);
      if (level <= 6 && (first + level >= end || after === 32 || after === 9)) {
        kinds[line] = lineKind.heading;
        headings.push({
          level,
          title: headingTitle(text.slice(first + level, end)),
          line,
          offset: start,
          endLine: count,
        });
        continue;
      }
    }
    if (code === 60 && text.startsWith('<!--', first)) {
      kinds[line] = lineKind.comment;
      const closing = text.slice(first, end).indexOf('-->');
      if (closing < 0) commentStart = line;
      else {
        comments.push({ line, text: text.slice(first, end) });
        if (text.slice(first + closing + 3, end).trim() !== '') kinds[line] = lineKind.text;
      }
      continue;
    }
    if (
      (code === 124 || code === 45 || code === 58) &&
      line > frontLines &&
      isDelimiterRow(text, first, end)
    ) {
      const table = parseTable(text, lineStarts, line, endOf);
      if (table !== undefined) {
        tables.push(table);
        kinds.fill(lineKind.table, table.line, table.endLine);
        closeQuote(table.line);
        line = table.endLine - 1;
      }
    }
  }
  closeFence(count - 1, false, text.length);
  if (commentStart >= 0)
    comments.push({ line: commentStart, text: text.slice(lineStarts[commentStart] ?? 0) });
  closeQuote(count);
  endHeadings(headings, count);
  return {
    path,
    text,
    lineStarts,
    kinds,
    bodyStart: frontLines === 0 ? 0 : (lineStarts[frontLines] ?? text.length),
    headings,
    fences,
    quotes,
    tables,
    comments,
  };
}
