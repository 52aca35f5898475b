import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { lineText, zoneAt } from './document.ts';
import { parseDocument } from './parse.ts';

const parse = (text: string) => parseDocument('SKILL.md', text);

test('headings in fences, comments and frontmatter do not count', () => {
  const document = parse(
    [
      '---',
      'name: x',
      '# not a heading',
      '---',
      '# Title',
      '```sh',
      '# comment',
      '```',
      '<!--',
      '# hidden',
      '-->',
      '## Real',
    ].join('\n'),
  );
  expect(document.headings.map(({ title, line }) => [title, line])).toEqual([
    ['Title', 4],
    ['Real', 11],
  ]);
});

test('T-04 nested fences: a longer fence holds shorter ones, tildes hold backticks', () => {
  const document = parse(
    ['````', '```', '## inner', '```', '````', '~~~', '```', '## inner', '~~~', '## Outer'].join('\n'),
  );
  expect(document.headings.map(({ title }) => title)).toEqual(['Outer']);
  expect(document.fences).toHaveLength(2);
});

test('a Markdown sample with equal inner fences is read as its author meant it', () => {
  const document = parse(
    ['```markdown', '# Sample', '```sql', 'select 1', '```', '[dead](gone.md)', '```', '# After'].join('\n'),
  );
  expect(document.headings.map(({ title }) => title)).toEqual(['After']);
  expect(document.fences).toHaveLength(1);
});

test('a fence in a list item ends with the item, an unclosed one with the file', () => {
  const document = parse(
    ['1. Step', '   ```js', '   ## no', '   ```', '   text', '', '## Yes', '```', '## no'].join('\n'),
  );
  expect(document.headings.map(({ title }) => title)).toEqual(['Yes']);
  expect(document.fences.map(({ closed }) => closed)).toEqual([true, false]);
});

test('CRLF and BOM change nothing but the offsets', () => {
  const document = parse(
    '\uFEFF---\r\nname: x\r\n---\r\n# Title\r\n\r\n| a | b |\r\n| - | - |\r\n| 1 | 2 |\r\n',
  );
  expect(document.headings.map(({ title, line }) => [title, line])).toEqual([['Title', 3]]);
  expect(document.tables[0]?.rows[0]?.cells).toEqual(['1', '2']);
  expect(lineText(document, 3)).toBe('# Title');
});

test('zones tell prose from inline code, fences and comments', () => {
  const text = 'see `Skill(x)` and <!-- Skill(y) --> and Skill(z)\n```\nSkill(f)\n```\n';
  const document = parse(text);
  const zone = (word: string) => zoneAt(document, text.indexOf(word));
  expect([zone('Skill(x)'), zone('Skill(y)'), zone('Skill(z)'), zone('Skill(f)')]).toEqual([
    'inline-code',
    'comment',
    'prose',
    'fence',
  ]);
});

test('a fence that begins in a quote makes no empty quote', () => {
  expect(parse('>```').quotes).toEqual([]);
  expect(parse('> a\n> ```\n> b\n').quotes).toHaveLength(1);
});

test('escaped pipes stay in their cell', () => {
  const document = parse('| a | b |\n|---|---|\n| x \\| y | z |\n');
  expect(document.tables[0]?.rows[0]?.cells).toEqual(['x | y', 'z']);
});

const block = fc.oneof(
  fc.constantFrom(
    '# One',
    '## Two',
    '### Step 1.1: x',
    'plain words',
    '- item',
    '1. item',
    '> quote',
    '> # quoted',
    '',
    '    indented',
  ),
  fc
    .tuple(
      fc.constantFrom('```', '~~~', '````'),
      fc.constantFrom('', 'js', 'bash'),
      fc.constantFrom('# in code', 'x', '```', '~~~', ''),
    )
    .map(([mark, language, inner]) => `${mark}${language}\n${inner}\n${mark}`),
  fc.constantFrom('| a | b |\n|---|---|\n| 1 | 2 |', '<!-- note -->', '```', '   ```\n   x\n   ```'),
);

/** Top-level ATX headings and fenced code of a reference parser: line and depth or language. */
function reference(text: string): { headings: string[]; fences: string[] } {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const headings = tree.children.flatMap((node) => {
    if (node.type !== 'heading' || node.position === undefined) return [];
    const { start, end } = node.position;
    return start.line === end.line ? [`${start.line}:${node.depth}`] : [];
  });
  const fences: string[] = [];
  const walk = (node: Nodes) => {
    if (node.type === 'code' && node.position !== undefined) {
      const source = text.slice(node.position.start.offset, node.position.end.offset);
      if (/^(?:```|~~~)/.test(source)) fences.push(`${node.position.start.line}:${node.lang ?? ''}`);
    }
    if ('children' in node) for (const child of node.children) walk(child);
  };
  walk(tree);
  return { headings, fences };
}

test('the linear reader agrees with mdast on headings and fences', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
      const text = blocks.join('\n\n');
      const document = parse(text);
      const expected = reference(text);
      expect(document.headings.map(({ line, level }) => `${line + 1}:${level}`)).toEqual(expected.headings);
      expect(document.fences.map(({ openLine, language }) => `${openLine + 1}:${language}`)).toEqual(
        expected.fences,
      );
    }),
    { numRuns: 400 },
  );
});

test('any text parses, and every position lies inside it', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(
          '`',
          '~',
          '#',
          '|',
          '-',
          '>',
          ' ',
          '\n',
          '\r',
          'a',
          '<!--',
          '-->',
          '\t',
          '1.',
          '界',
        ),
      }),
      (text) => {
        const document = parse(text);
        const lines = document.lineStarts.length;
        for (const { line, endLine } of document.headings)
          expect(line < endLine && endLine <= lines).toBe(true);
        for (const { openLine, closeLine, start, end } of document.fences) {
          expect(openLine <= closeLine && closeLine < lines && start <= end && end <= text.length).toBe(true);
        }
        for (const { line, endLine } of [...document.tables, ...document.quotes])
          expect(line < endLine && endLine <= lines).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('a fence that the last line closes is closed, with and without a line end', () => {
  for (const [text, closed] of [
    ['```bash\nls\n```\n', true],
    ['```bash\nls\n```', true],
    ['```bash\nls\n', false],
  ] as const)
    expect(parseDocument('a.md', text).fences).toMatchObject([{ closed }]);
});
