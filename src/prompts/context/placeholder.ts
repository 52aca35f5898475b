import { scanLines } from '../../base/markdown/lines.ts';
import { headingLevel } from '../../base/markdown/sections.ts';
import { templates } from './folder.ts';

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
function isPlaceholderLine(line: string): boolean {
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
function isTableDelimiter(line: string): boolean {
  const trimmed = line.trim();
  if (!trimmed.includes('|') || !/^[|:\- \t]+$/.test(trimmed)) return false;
  const cells = trimmed.replace(/^\||\|$/g, '').split('|');
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}

/** Inside a fence: nothing but the strokes of a tree and `_TBD_`. */
function isTreeLine(line: string): boolean {
  return /^[\s\u2500-\u257F|+\-`\\]*$/.test(line.replaceAll('_TBD_', ''));
}

type Scaffold = { characters: number; sha256: string };

/**
 * Size and SHA-256 of every scaffold that was ever shipped, oldest first; a test keeps the newest equal to the
 * template. The oldest come from the MoAI development kit, whose folder this one continues. Entries are only ever added.
 */
export const shippedScaffolds: Readonly<Record<string, readonly Scaffold[]>> = {
  'README.md': [
    { characters: 1833, sha256: 'd1186add2ec5a41990d607545d0bdadec1305d2f356cfc040e981636a5df3b87' },
    { characters: 1381, sha256: '1815db406799e90932b02abd756716945e1ff92ad048c8d9d0c928c772f2d3c4' },
  ],
  'research.md': [
    { characters: 1119, sha256: '7ceb8f8803181c7fa03698c862a7234cd17c0fcd6b85e4a94823db1667dccc0e' },
    { characters: 665, sha256: 'c2218a345e28c06bfbdf39a86de070358af5e015884ea4ee8ae97632261cc925' },
  ],
  'system.md': [
    { characters: 889, sha256: 'b92f93f4e79142c8e95d2d0a56cd0d29828e84cd74a6bcdda17303dcb4d57ede' },
    { characters: 2037, sha256: '2b97e67bcfce515748242e63edb84af8fd43ff8b49ff184fc423ad10e630d4d1' },
    { characters: 1145, sha256: '519d15148d736be7848e3b6128dc419d74f8f021e2d1ffef9d2ecfec288d5674' },
  ],
  'spec.md': [
    { characters: 1434, sha256: 'e01b63fdc987d8c5d1f5decafcc85bae76ed13ce94c5135dda3903022c1eed28' },
    { characters: 852, sha256: '75fac7d3e6c565199818e3cf6a59cbff12b387138664c232c73560e56911cd3b' },
  ],
};

/**
 * Lines of those older scaffolds whose form alone does not give them away (table rows with labels, a tree's root), as
 * fingerprints.
 */
const olderLines: Readonly<Record<string, readonly string[]>> = {
  research: ['437f3c82ca312b32', 'caa3dff4ff41e7ea'],
  spec: [
    'd721377a373765d7',
    'a0d3dddfa1295a65',
    'e8f060d6e69b959d',
    'ddd1b883a1d52f99',
    '09e2ac08c7c93edd',
    '5a4434788e690cef',
    '5a4d5dc113ff3086',
  ],
  system: [
    '9b05cb9f07616404',
    'cbde019b24be8b58',
    '02c5f40cd58645b2',
    'bc73da47262f96ab',
    'f06086dc6c082a98',
    '491675ed26996fc6',
    '598751f147382ddc',
    '9a0bf2c28a0bd747',
    '33c3844cc81a78b7',
    '6d1dd12ba2e29ae7',
    '00982d2afdbcd726',
    '86e9de363565714c',
    '46977d42a333c11f',
    '43a82c2116b41d0a',
    '89f2645a2fff0832',
    '98ac8c9b3e1ccd30',
    '92deb5bdec4d11fc',
    '2c615fb2030e789c',
    '435075f05676bd8e',
  ],
};

/** All scaffolds for a token. */
function knownScaffolds(token: string): readonly Scaffold[] {
  return own(shippedScaffolds, `${token}.md`) ?? [];
}

type KnownLines = { written: ReadonlySet<string>; hashed: ReadonlySet<string> };

/** The lines of the scaffold for a token: today's as written, older ones by hash. */
function knownLines(token: string): KnownLines {
  const today = own(templates, `${token}.md`) ?? '';
  return { written: new Set(today.split('\n')), hashed: new Set(own(olderLines, token) ?? []) };
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Two chained 32-bit FNV-1a sums of a line's UTF-16 units, as 16 hexadecimal digits. It tells lines apart; it guards nothing. */
function fingerprint(line: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < line.length; index += 1) {
    const unit = line.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 16), 0x01000193);
  }
  return hexadecimal(high) + hexadecimal(low);
}

function hexadecimal(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** A longer line is the user's text; lines of scaffolds are much shorter. */
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
