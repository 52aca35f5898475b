import type { Table, TableRow } from './document.ts';

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

/** The table whose delimiter row stands on `delimiter`, or nothing when the line above is no header. */
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
export function splitCells(row: string): string[] {
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
