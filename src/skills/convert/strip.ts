import { parseDocument } from '../document/parse.ts';

/** A text without BOM and frontmatter. */
export function stripFrontmatter(text: string): string {
  const document = parseDocument('source.md', text);
  return document.text.slice(document.bodyStart).replace(/^\uFEFF/, '');
}
