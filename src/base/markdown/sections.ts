import { readStrictly } from './lines.ts';

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

/** All sections in order of appearance; headings in fences, comments and front matter do not count. */
export function outline(text: string): Section[] {
  const { headings, lineStarts } = readStrictly(text);
  const startOf = (line: number) => lineStarts[line] ?? text.length;
  return headings.map(({ level, title, line, endLine }) => ({
    level,
    title,
    line: line + 1,
    start: line === 0 && text.startsWith('\uFEFF') ? 1 : startOf(line),
    bodyStart: startOf(line + 1),
    end: startOf(endLine),
  }));
}

const hash = 35;
const space = 32;
const tab = 9;

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
