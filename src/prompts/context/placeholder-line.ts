/** forms of a line that say nothing. A-33: the marker is exactly `_TBD_`. Lines come in without their ending. */

const bullet = '[ \\t]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)?(?:\\[[ xX]?\\][ \\t]+)?';

// `***`, `- - -`
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;

const forms: readonly RegExp[] = [
  // `_TBD_`, `- _TBD_ _TBD_`, `1. [ ] _TBD_`
  new RegExp(`^${bullet}_TBD_(?:[ \\t]*_TBD_)*[ \\t]*$`),
  // `**Goal**: _TBD_`, `- Grid: _TBD_`
  new RegExp(`^${bullet}(?:\\*\\*[^:*]{1,60}(?:\\*\\*:|:\\*\\*)|[^:*]{1,60}:)[ \\t]*_TBD_[ \\t]*$`),
  // `_Last updated: _TBD__`
  /^[ \t]*_[^:_*]{1,60}:[ \t]*_TBD__[ \t]*$/,
];

/** Whether a line outside a fence is a placeholder or bare structure. */
export function isPlaceholderLine(line: string): boolean {
  if (isEmptyTableRow(line) || rule.test(line)) return true;
  return line.includes('_TBD') && (forms.some((form) => form.test(line)) || isItalicPrompt(line));
}

/** `_TBD — describe the grid._`: one italic run from the first to the last character of the line. */
function isItalicPrompt(line: string): boolean {
  const trimmed = line.trim();
  if (!/^_TBD\b.*[^\s_]_$/.test(trimmed) || trimmed.startsWith('_TBD_')) return false;
  const inner = trimmed.slice(1, -1).replace(/`[^`]*`/g, '');
  return !/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u.test(inner);
}

/** `| _TBD_ | | |` */
function isEmptyTableRow(line: string): boolean {
  if (!line.includes('|')) return false;
  return line.split('|').every((cell) => cell.trim() === '' || cell.trim() === '_TBD_');
}

/** `|---|:--:|`; the row directly above one is a table's header. */
export function isTableDelimiter(line: string): boolean {
  const trimmed = line.trim();
  if (!trimmed.includes('|') || !/^[|:\- \t]+$/.test(trimmed)) return false;
  const cells = trimmed.replace(/^\||\|$/g, '').split('|');
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}

/** Inside a fence: nothing but the strokes of a tree and `_TBD_`. */
export function isTreeLine(line: string): boolean {
  return /^[\s\u2500-\u257F|+\-`\\]*$/.test(line.replaceAll('_TBD_', ''));
}
