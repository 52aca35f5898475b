import { scanLines } from './markdown-lines.ts';

/** An ATX heading and all that belongs to it. Offsets are UTF-16 indices into the text. */
export type Section = {
  level: number;
  title: string;
  /** Line of the heading, counted from 1. */
  line: number;
  /** Start of the heading line. */
  start: number;
  /** Start of the first line below the heading. */
  bodyStart: number;
  /** Start of the next heading of the same or a higher level, or the end of the text. */
  end: number;
};

const hash = 35;
const space = 32;
const tab = 9;

/** All sections in order of appearance; headings in fences, comments and front matter do not count. */
export function outline(text: string): Section[] {
  const sections: Section[] = [];
  const open: Section[] = [];
  scanLines(text, (kind, start, end, next, line) => {
    const level = kind === 'text' ? headingLevel(text, start, end) : 0;
    if (level === 0) return true;
    while (open.length > 0 && (open.at(-1)?.level ?? 0) >= level) {
      const closed = open.pop();
      if (closed !== undefined) closed.end = start;
    }
    const section = {
      level,
      title: headingTitle(text, start, end),
      line,
      start,
      bodyStart: next,
      end: text.length,
    };
    sections.push(section);
    open.push(section);
    return true;
  });
  return sections;
}

/** 1–6 when the line is an ATX heading (up to three spaces, then `#`s, then a blank or the end), else 0. */
export function headingLevel(text: string, start: number, end: number): number {
  let index = start;
  while (index < end && index < start + 3 && text.charCodeAt(index) === space) index += 1;
  const first = index;
  while (index < end && index < first + 7 && text.charCodeAt(index) === hash) index += 1;
  const level = index - first;
  if (level === 0 || level > 6) return 0;
  return index === end || isSpace(text, index) ? level : 0;
}

/** The heading's words, without its opening and closing `#`s. */
export function headingTitle(text: string, start: number, end: number): string {
  let from = start;
  while (from < end && isSpace(text, from)) from += 1;
  while (from < end && text.charCodeAt(from) === hash) from += 1;
  while (from < end && isSpace(text, from)) from += 1;
  let to = end;
  while (to > from && isSpace(text, to - 1)) to -= 1;
  let closing = to;
  while (closing > from && text.charCodeAt(closing - 1) === hash) closing -= 1;
  if (closing < to && (closing === from || isSpace(text, closing - 1))) to = closing;
  while (to > from && isSpace(text, to - 1)) to -= 1;
  return text.slice(from, to);
}

/** The section as written, heading and subsections included. */
export function sectionText(text: string, section: Section): string {
  return text.slice(section.start, section.end);
}

/** The section without its heading line. */
export function sectionBody(text: string, section: Section): string {
  return text.slice(section.bodyStart, section.end);
}

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === space || code === tab;
}
