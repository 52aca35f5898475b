import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect, test } from 'vitest';
import { maxMarkdown, readMarkdown } from './tree.ts';

test('ordinary Markdown has the tree that it always had', () => {
  const text = `# A\n\n${'- **b** [c](d) `e`\n'.repeat(150)}\n\n> f\n> > g\n\n1. - h\n${'\n*i* _j_ ~k~'.repeat(100)}`;
  expect(readMarkdown(text)).toEqual(fromMarkdown(text));
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'*_[]()>-+1. \n`<a') }), (short) => {
      expect(readMarkdown(short)).toEqual(fromMarkdown(short));
    }),
  );
});

test('what is too much stays readable as characters', () => {
  const [first] = readMarkdown(`${'*a '.repeat(2000)}**b**`)?.children ?? [];
  expect(first).toMatchObject({ type: 'paragraph', children: [{ type: 'text' }] });
  const deep = JSON.stringify(readMarkdown(`${'> '.repeat(60)}x`));
  expect(deep.split('blockquote')).toHaveLength(51);
  expect(deep).toContain('> > > > > > > > > > x');
});

test.each([
  ['underlined headings', 'a\n===\n', 'heading'],
  ['quotes', '> a\n\n', 'blockquote'],
  ['lists between paragraphs', '- a\n\nb\n\n', 'list'],
  ['lists inside lists', '- a\n  - b\n', 'listItem'],
  ['lists inside lists, by tabs that were not counted,', '-\ta\n\t-\tb\n', 'listItem'],
])('of very many %s those at the beginning are read, the others stay as characters', (_, piece, type) => {
  const few = piece.repeat(500);
  expect(readMarkdown(few)).toEqual(fromMarkdown(few));
  const tree = JSON.stringify(readMarkdown(piece.repeat(4000)));
  const read = tree.split(`"type":"${type}"`).length - 1;
  expect(read).toBeGreaterThanOrEqual(2000);
  expect(read).toBeLessThan(4010);
  const said = [...tree.matchAll(/"value":"([^"]*)"/g)].map(([, value]) => value).join('');
  expect(said.split('a').length - 1).toBe(4000);
});

test('counts the quote that each cut-off list in a quote begins', () => {
  const tree = JSON.stringify(readMarkdown('> a\n> - b\n'.repeat(4000)));
  expect(tree.split('"type":"blockquote"').length - 1).toBe(1);
});

test('a long document is read', () => {
  const part = `## Step\n\n- **Do** \`this\` in [a](b.ts), as src/a.ts:12 has it: _now_\n\n${'Words of prose. '.repeat(12)}\n\n| a | b |\n|---|---|\n| c | d |\n\n`;
  const text = part.repeat(300_000 / part.length);
  expect(readMarkdown(text, {}, 300_000)?.children.length).toBeGreaterThan(3000);
});

test('a text that is too long is not read', () => {
  expect(readMarkdown('a'.repeat(maxMarkdown))).toBeDefined();
  expect(readMarkdown('a'.repeat(maxMarkdown + 1))).toBeUndefined();
});
