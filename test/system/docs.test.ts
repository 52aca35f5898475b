import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..', '..');
const docs = path.join(root, 'docs');
const pages = ['README.md', ...readdirSync(docs).filter((name) => name.endsWith('.md'))].map((name, index) =>
  path.join(index === 0 ? root : docs, name),
);

/** Addresses of files that a page names, without their anchors. */
function linksIn(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)[^)]*\)/g)].map(
    ([, link = '']) => link,
  );
}

test('the index names every page', () => {
  const linked = new Set(linksIn(path.join(docs, 'README.md')));
  const missing = readdirSync(docs).filter(
    (name) => name.endsWith('.md') && name !== 'README.md' && !linked.has(name),
  );
  expect(missing).toEqual([]);
});

test.each(pages.map((page) => path.relative(root, page)))('every link of %s leads to a file', (page) => {
  const folder = path.dirname(path.join(root, page));
  const broken = linksIn(path.join(root, page)).filter((link) => !existsSync(path.resolve(folder, link)));
  expect(broken).toEqual([]);
});
