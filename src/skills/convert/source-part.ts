import { linesText } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';
import { stripFrontmatter } from './strip.ts';

/** Which part of a source a phase was made from; without a section the whole body. */
export type SourcePart = {
  path: string;
  /** Title of a section, or `<process>` for such a block. */
  section?: string;
  /** Which of the sections of that title, counted from 0; absent: the first. */
  nth?: number;
};

/** The text that a part names, the same for the conversion and for every later comparison; undefined when it is gone. */
export function partBody(text: string, { section, nth = 0 }: Omit<SourcePart, 'path'>): string | undefined {
  if (section === undefined) return stripFrontmatter(text);
  if (section === '<process>') return processBlocks(text)[nth]?.body;
  const document = parseDocument('source.md', text);
  const heading = document.headings.filter(({ title }) => title === section)[nth];
  return heading === undefined ? undefined : linesText(document, heading.line + 1, heading.endLine);
}

type ProcessBlock = { body: string /** Offsets of the tags. */; start: number; end: number };

export function processBlocks(text: string): ProcessBlock[] {
  const blocks: ProcessBlock[] = [];
  const opening = /^<process[^>\n]*>\n/gm;
  // A block that stays open ends the search: looking for an end from each opening would take for ever.
  for (let open = opening.exec(text); open !== null; open = opening.exec(text)) {
    const end = text.indexOf('\n</process>', opening.lastIndex - 1);
    if (end < 0) break;
    blocks.push({ body: text.slice(opening.lastIndex, end + 1), start: open.index, end: end + 1 });
    opening.lastIndex = end + '\n</process>'.length;
  }
  return blocks;
}
