import { type Document, lineText } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';
import type { Frontmatter } from '../model/frontmatter.ts';
import type { Edit } from './fidelity.ts';

/** A text without BOM and frontmatter. */
export function stripFrontmatter(text: string): string {
  const document = parseDocument('source.md', text);
  return document.text.slice(document.bodyStart).replace(/^\uFEFF/, '');
}

/** The edit that takes the frontmatter away; what matters of it is written anew. */
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
