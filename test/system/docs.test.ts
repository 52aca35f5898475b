import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cliPage, configPage } from '../../scripts/docs.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
const docs = path.join(root, 'docs');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  'CHANGELOG.md',
  ...readdirSync(docs, { recursive: true })
    .filter((name) => String(name).endsWith('.md'))
    .map((name) => path.join('docs', String(name)))
    .sort(),
];

const read = (page: string) => readFileSync(path.join(root, page), 'utf8');

/** Link targets of a page inside this repository, with their anchors. Code is not searched. */
function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)[^)]*\)/g)].map(([, link = '']) => link);
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): string[] {
  const headings = text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm);
  const seen = new Map<string, number>();
  return [...headings].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** Links of a page to missing files, missing headings, or out of the repository. */
function brokenLinks(page: string, text: string): string[] {
  return linksIn(text).filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : path.join(path.dirname(page), file);
    const absolute = path.join(root, target);
    if (target !== page && (target.startsWith('..') || !existsSync(absolute))) return true;
    if (anchor === undefined) return false;
    return !anchorsOf(target === page ? text : read(target)).includes(anchor);
  });
}

test.each(pages)('every link of %s resolves to a file and a heading', (page) => {
  expect(brokenLinks(page, read(page))).toEqual([]);
});

test('finds links to missing files and missing headings', () => {
  const text =
    '# Two words\n\n[a](#two-words) [b](#three) [c](gone.md) [d](../README.md#none) `[e](gone.md)`\n';
  expect(brokenLinks('docs/page.md', text)).toEqual(['#three', 'gone.md', '../README.md#none']);
});

test('the generated pages of commands and settings are current (run `npm run docs`)', async () => {
  expect(read('docs/reference/cli.md')).toBe(await cliPage());
  expect(read('docs/reference/config.md')).toBe(await configPage());
});

test('the index names every page but the rules and decisions', () => {
  const linked = new Set(linksIn(read('docs/README.md')).map((link) => path.join('docs', link)));
  const missing = pages.filter(
    (page) =>
      page.startsWith('docs/') && !/\/(rules|decisions)\/|docs\/README\.md/.test(page) && !linked.has(page),
  );
  expect(missing).toEqual([]);
});

/** Scripts named in commands of a text, as files or by their name in package.json. */
function scriptsIn(text: string): { files: string[]; names: string[] } {
  const files = [...text.matchAll(/\bnode ((?:bench|scripts)\/[\w./-]+\.(?:ts|mjs))/g)];
  const names = [...text.matchAll(/\bnpm run ([\w:]+)/g)];
  return { files: files.map(([, file = '']) => file), names: names.map(([, name = '']) => name) };
}

test.each(pages)('every script that %s names exists', (page) => {
  const { files, names } = scriptsIn(read(page));
  const known = Object.keys(JSON.parse(read('package.json')).scripts);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

/** The headings of sections with figures in a table and without the command that prints them. */
function withoutCommand(text: string): string[] {
  return text.split(/^## /m).flatMap((section) => {
    const hasFigures = /^\|.*\d.*\|$|^-{3,}(?: {2}-+)+$/m.test(section);
    const { files, names } = scriptsIn(section);
    return hasFigures && files.length + names.length === 0 ? [section.split('\n', 1)[0] ?? ''] : [];
  });
}

test.each(['explanation/performance', 'how-to/scale'])(
  'every table of figures in docs/%s.md names the command that prints it',
  (page) => {
    expect(withoutCommand(read(`docs/${page}.md`))).toEqual([]);
  },
);

test('finds a section with figures and without a command', () => {
  const table = '| a | 3 ms |\n';
  expect(withoutCommand(`# P\n\n## One\n\n\`node bench/one.ts\`\n\n${table}\n## Two\n\n${table}`)).toEqual([
    'Two',
  ]);
});
