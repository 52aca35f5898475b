import { markdownLines } from '../base/markdown/lines.ts';
import { isPrdSentinel } from './feature-files.ts';

/** A file that the prompt tells the agent to read. */
export type ExpectedFile = {
  /** As the prompt labels it: `Spec`. */
  label: string;
  /** File name of the reference: `spec.md`. */
  name: string;
  /** Absent when the file was too large to count. */
  lines?: number;
};

/** lean/C-07. */
export type Grade = 'missing' | 'partial' | 'full';

export type Confirmation = {
  grade: Grade;
  read: readonly { name: string; lines?: number }[];
  /** Expected files that were not named. */
  missing: readonly string[];
  /** Files named with a line count that cannot come from reading them. */
  wrongLines: readonly { name: string; expected: number; stated: number }[];
};

/** The line is near the beginning or the end; a giant answer is not read in between. */
const window = 256 * 1024;
const opening = /^[\s>]*(?:[-*+]\s+|#{1,6}\s+)?["'`*_]*files\s+read["'`*_]*\s*:[*_]*\s*(.*)$/is;
const listItem = /^\s*(?:[-*+]|\d+[.)])\s+(.+)$/s;

/**
 * T-073…T-075, tricky case 7: what the answer confirms to have read. Checked before any JSON is parsed and
 * whatever the verdict. Quotations, fences, the instruction's own template and the PRD sentinel do not count.
 */
export function gradeConfirmation(answer: string, expected: readonly ExpectedFile[]): Confirmation {
  const read = confirmedFiles(excerpt(answer));
  if (read.length === 0) {
    return { grade: 'missing', read, missing: expected.map(({ name }) => name), wrongLines: [] };
  }
  const matched = expected.map((file) => ({ file, match: read.find(({ name }) => means(name, file)) }));
  const missing = matched.filter(({ match }) => match === undefined).map(({ file }) => file.name);
  const wrongLines = matched.flatMap(({ file, match }) =>
    file.lines === undefined || match?.lines === undefined || Math.abs(match.lines - file.lines) <= 1
      ? []
      : [{ name: file.name, expected: file.lines, stated: match.lines }],
  );
  const grade = missing.length === 0 && wrongLines.length === 0 ? 'full' : 'partial';
  return { grade, read, missing, wrongLines };
}

function excerpt(answer: string): string {
  if (answer.length <= 2 * window) return answer;
  return `${answer.slice(0, window)}\n${answer.slice(-window)}`;
}

function confirmedFiles(text: string): { name: string; lines?: number }[] {
  const found: { name: string; lines?: number }[] = [];
  let listing = false;
  for (const { kind, start, end } of markdownLines(text)) {
    const line = text.slice(start, Math.min(end, start + 8_000));
    const match = kind === 'text' && !line.trimStart().startsWith('>') ? opening.exec(line) : null;
    if (match !== null) {
      found.push(...filesIn(match[1] ?? ''));
      listing = (match[1] ?? '').trim() === '';
    } else if (listing && line.trim() !== '') {
      const item = kind === 'text' ? listItem.exec(line)?.[1] : undefined;
      if (item === undefined) listing = false;
      else found.push(...filesIn(item));
    }
  }
  return found;
}

const template = /[{}<>]|\.\.\.|…/;
const noFile = /^(?:none|nothing|no files?|n\/a)\b/i;
const count = /\(\s{0,3}~?\s{0,3}(\d[\d,.]{0,15})\s{0,3}(?:lines?|loc)?\s{0,3}(?:total|read)?\s{0,3}\)/i;

function filesIn(list: string): { name: string; lines?: number }[] {
  return splitOutsideParentheses(list).flatMap((piece) => {
    const text = piece
      .trim()
      .replace(/^["'`*_]+/, '')
      .replace(/(?<!["'`*_.;])["'`*_.;]+$/, '')
      .trim();
    if (
      text === '' ||
      template.test(text) ||
      noFile.test(text) ||
      isPrdSentinel(text.replace(/^prd:\s*/i, ''))
    ) {
      return [];
    }
    const lines = count.exec(text)?.[1];
    const name = (text.split('(', 1)[0] ?? '').replace(/[`*_"']/g, '').trim();
    if (name === '' || name.length > 1_000) return [];
    return [lines === undefined ? { name } : { name, lines: Number(lines.replace(/[,. ]/g, '')) }];
  });
}

function splitOutsideParentheses(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if ((character === ',' || character === ';') && depth === 0) {
      pieces.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...pieces, text.slice(start)];
}

/** `spec.md`, `/abs/path/spec.md`, `Spec`, `Spec: /abs/path/spec.md` are one file. */
function means(stated: string, { name, label }: ExpectedFile): boolean {
  const lowered = stated.toLowerCase();
  const last = lowered.split(/[/\\]/).at(-1)?.trim() ?? '';
  const before = lowered.split(':')[0]?.trim();
  return last === name.toLowerCase() || before === label.toLowerCase() || before === name.toLowerCase();
}

/** T-075: the line in the review history; it is also the counter (T-076). */
export function lazyLoadWarning(agent: string): string {
  return `LAZY-LOAD-WARNING: ${agent} did not confirm artifact reads`;
}
