import { replaceBetween } from '../../../base/text/replace-between.ts';
import { parseColour, toHex } from './colour.ts';

export type NamedColour = { name: string; value: string; line: number };
export type NamedFont = { name: string; value: string; line: number };
export type Identity = { colours: NamedColour[]; fonts: NamedFont[] };

const colourForm = /#[0-9a-f]{6}\b|#[0-9a-f]{3}\b|rgba?\([^)]{5,40}\)|hsla?\([^)]{5,40}\)/i;

/** What names a colour or a typeface is short; longer lines are prose, or made to keep the patterns busy. */
const longestLine = 400;

/**
 * Colours and typefaces that a document names: `Primary: #0b5fff`, `- **Primary** — #0b5fff`, `| primary | #0b5fff |`,
 * `Heading font: Inter`. Code fences count, comments do not.
 */
export function readIdentity(text: string): Identity {
  const colours: NamedColour[] = [];
  const fonts: NamedFont[] = [];
  const plain = replaceBetween(text, '<!--', '-->', (comment) => comment.replace(/[^\n]/g, ' '));
  for (const [index, whole] of plain.split('\n').entries()) {
    const line = whole.slice(0, longestLine);
    const found = colourForm.exec(line);
    const colour = found === null ? undefined : parseColour(found[0]);
    if (found !== null && colour !== undefined) {
      const name = labelBefore(line, found.index);
      if (name !== '') colours.push({ name, value: toHex(colour), line: index + 1 });
    }
    const font =
      /^[\s>*+|-]*((?:[\w-]+ )*(?:font|typeface)s?(?: family)?)[*\s]*(?:[:|=]|—|–)[\s*]*["'`]?([^"'`|,;<>]{2,60})/i.exec(
        line,
      );
    if (font !== null) {
      const value = (font[2] ?? '').replace(/\*+$/, '').trim();
      if (value !== '' && value !== '_TBD_')
        fonts.push({ name: slug(font[1] ?? ''), value, line: index + 1 });
    }
  }
  return { colours, fonts };
}

/** The words before a value; in a table the first cell of its row. */
function labelBefore(line: string, at: number): string {
  const before = line.slice(0, at);
  const cells = before.split('|').map((cell) => cell.trim());
  const cell = before.includes('|') ? (cells.find((each) => each !== '') ?? '') : before;
  return slug(cell.replace(/^[\s>*+-]*(?:\d+\.)?/, ''));
}

/** `**Primary colour:**` and `--color-primary` are both `primary`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[`*_:=—–()"',]/g, ' ')
    .replace(/\bcolou?rs?\b|\bfonts?\b|\btypefaces?\b|\bfamily\b|\bbrand\b|\btokens?\b|\bhex\b/g, ' ')
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
}
