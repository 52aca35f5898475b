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

/** Scripts that a text tells people to call, as files or by the name that package.json has for them. */
function scriptsIn(text: string): { files: string[]; names: string[] } {
  const files = [...text.matchAll(/\bnode ((?:bench|scripts)\/[\w./-]+\.(?:ts|mjs))/g)];
  const names = [...text.matchAll(/\bnpm run ([\w:]+)/g)];
  return { files: files.map(([, file = '']) => file), names: names.map(([, name = '']) => name) };
}

test.each(pages.map((page) => path.relative(root, page)))('every script that %s names is there', (page) => {
  const { files, names } = scriptsIn(readFileSync(path.join(root, page), 'utf8'));
  const known = Object.keys(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  // Pages about projects of others name scripts of theirs.
  const ours = page === 'docs/performance.md' ? names : [];
  expect(ours.filter((name) => !known.includes(name))).toEqual([]);
});

/** The headings of sections that have figures in a table and no command that prints them. */
function withoutCommand(text: string): string[] {
  return text.split(/^## /m).flatMap((section) => {
    const hasFigures = /^\|.*\d.*\|$|^-{3,}(?: {2}-+)+$/m.test(section);
    const { files, names } = scriptsIn(section);
    return hasFigures && files.length + names.length === 0 ? [section.split('\n', 1)[0] ?? ''] : [];
  });
}

test.each(['performance', 'scale'])(
  'every table of figures in docs/%s.md names the command that prints it',
  (page) => {
    expect(withoutCommand(readFileSync(path.join(docs, `${page}.md`), 'utf8'))).toEqual([]);
  },
);

test('a section with figures and no command is found', () => {
  const table = '| a | 3 ms |\n';
  expect(withoutCommand(`# P\n\n## One\n\n\`node bench/one.ts\`\n\n${table}\n## Two\n\n${table}`)).toEqual([
    'Two',
  ]);
});
