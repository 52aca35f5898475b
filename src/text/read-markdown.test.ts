import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect, test } from 'vitest';
import { hostileTexts } from '../../test/hostile-texts.ts';
import { longestMarkdown, readMarkdown } from './read-markdown.ts';

const tiresome = [
  '**[',
  '**[a',
  '**[*',
  '_a*',
  '*_',
  '](',
  '[a](',
  '<a ',
  '[^a]',
  '> ',
  '1. ',
  '- ',
  '> - 1. a\n',
  '- 1. a\n',
];

// The limit is for what the parser alone would need: minutes, or more stack than there is.
test.each([...tiresome.map((piece) => piece.repeat(40_000 / piece.length)), ...hostileTexts(40_000)])(
  'text %# keeps the parser neither busy nor deep',
  { timeout: 20_000 },
  (text) => {
    expect(readMarkdown(text)?.type).toBe('root');
  },
);

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

test('a text that is too long is not read', () => {
  expect(readMarkdown('a'.repeat(longestMarkdown))).toBeDefined();
  expect(readMarkdown('a'.repeat(longestMarkdown + 1))).toBeUndefined();
});
