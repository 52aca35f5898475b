import type { Document } from '../document/document.ts';

const cache = new WeakMap<Document, Set<string>>();

/** Anchors of a document's headings as GitHub makes them, doubles numbered, plus explicit `id` and `name` attributes. */
export function anchorsOf(document: Document): Set<string> {
  const known = cache.get(document);
  if (known !== undefined) return known;
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const { title } of document.headings) {
    const slug = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  for (const [, id = ''] of document.text.matchAll(/\b(?:id|name)="([^"\n]{1,100})"/g))
    anchors.add(id.toLowerCase());
  cache.set(document, anchors);
  return anchors;
}
