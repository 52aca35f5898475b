import { type Document, linesText, lineText } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import type { Frontmatter } from '../model/frontmatter.ts';
import type { Edit } from './fidelity.ts';

/** Which part of a source a phase was made from; without a section the whole body. */
export type SourcePart = {
  path: string;
  /** Title of a section, or `<process>` for such a block. */
  section?: string;
  /** Which of the sections of that title, counted from 0; default: the first. */
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

/** A text whose last block of code is closed, so that it takes in nothing that is put behind it. */
export function closeFence(text: string): string {
  const document = parseDocument('text.md', text);
  const last = document.fences.at(-1);
  if (last === undefined || last.closed) return text;
  // In a list or a quote the end is as deep as the beginning; elsewhere it would open another block.
  const marks = /^[\s>]*[`~]{3,}/.exec(lineText(document, last.openLine))?.[0] ?? '```';
  return `${text.trimEnd()}\n${marks}`;
}

/** A text without BOM and frontmatter. */
export function stripFrontmatter(text: string): string {
  const document = parseDocument('source.md', text);
  return document.text.slice(document.bodyStart).replace(/^\uFEFF/, '');
}

/** The edit that removes the frontmatter; SKILL.md gets its own. */
export function frontmatterRemoved(text: string): Edit[] {
  const before = text.slice(0, parseDocument('source.md', text).bodyStart);
  return before === '' ? [] : [{ kind: 'frontmatter-removed', line: 0, before, after: '' }];
}

/** The edit that takes away a heading, or another line that only marks where a part begins or ends. */
export function titleRemoved(document: Document, line: number): Edit {
  return { kind: 'title-removed', line, before: `${lineText(document, line)}\n`, after: '' };
}

/** Says which fields of a frontmatter have no place in the new one. */
export function droppedFields({ fields }: Frontmatter, used: readonly string[]): string[] {
  const dropped = [...fields.keys()].filter((key) => !used.includes(key));
  return dropped.length === 0 ? [] : [`Of the frontmatter ${dropped.join(', ')} was dropped.`];
}
