import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect, test } from 'vitest';
import { outline, sectionBody, sectionText } from './sections.ts';

test('a section ends at the next heading of the same or a higher level', () => {
  const text = '# A\n### I7\nx\n#### note\ny\n## Risks\nz\n';
  expect(outline(text).map(({ level, title, line }) => [level, title, line])).toEqual([
    [1, 'A', 1],
    [3, 'I7', 2],
    [4, 'note', 4],
    [2, 'Risks', 6],
  ]);
  const found = outline(text)[1];
  expect(found && sectionText(text, found)).toBe('### I7\nx\n#### note\ny\n');
  expect(found && sectionBody(text, found)).toBe('x\n#### note\ny\n');
});

test('headings in fences, comments and front matter are none', () => {
  const text = '---\n# c\na: 1\n---\n```sh\n# no\n```\n<!--\n# no\n-->\n## yes\n';
  expect(outline(text).map(({ title }) => title)).toEqual(['yes']);
});

test.each([
  ['## a ##', 2, 'a'],
  ['##', 2, ''],
  ['## ##', 2, ''],
  ['## a#', 2, 'a#'],
  ['   ###\ta\t', 3, 'a'],
  ['## a ## b', 2, 'a ## b'],
])('%j is a heading of level %d', (text, level, title) => {
  expect(outline(text)).toMatchObject([{ level, title }]);
});

test.each(['####### a', '#a', '    # a', '\t# a', '\\# a', 'a\n==='])('%j has no ATX heading', (text) => {
  expect(outline(text)).toEqual([]);
});

const line = fc.constantFrom(
  '# one',
  '## two ##',
  '### three #x',
  '#### ',
  '#',
  '#no',
  '    # code',
  'words',
  '',
  '```',
  '````',
  '``` js',
  '   ```',
  '~~~',
  '~~~~ x',
  '    ```',
  '<!-- a -->',
  '<!--',
  'b -->',
  '-->',
  '`` ` ``',
  '\ttabbed',
);

test('the outline agrees with a CommonMark parser', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 25 }), fc.constantFrom('\n', '\r\n'), (lines, newline) => {
      const text = lines.join(newline);
      const expected = fromMarkdown(text).children.flatMap((node) =>
        node.type === 'heading' ? [[node.depth, node.position?.start.line]] : [],
      );
      expect(outline(text).map((section) => [section.level, section.line])).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test('sections lie inside the text and nest', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 25 }), (lines) => {
      const text = lines.join('\n');
      const sections = outline(text);
      for (const [index, section] of sections.entries()) {
        expect(section.start).toBeLessThan(section.end);
        expect(section.bodyStart).toBeLessThanOrEqual(section.end);
        expect(section.end).toBeLessThanOrEqual(text.length);
        const after = sections.slice(index + 1).find(({ level }) => level <= section.level);
        expect(section.end).toBe(after?.start ?? text.length);
      }
    }),
  );
});

test('a heading of megabytes keeps its title', () => {
  expect(outline(`# ${' #'.repeat(1_000_000)} x`)[0]?.title).toHaveLength(2_000_000 + 1);
});

test('a heading in a fence that a list item indents by four spaces is code, and the fence ends with its item', () => {
  const text = '- step\n\n    ```md\n    # no\n## in code\n    ```\n## yes\n';
  expect(outline('10. step\n\n    ```sh\n    # no\n    ```\n\n## yes\n').map(({ title }) => title)).toEqual([
    'yes',
  ]);
  expect(outline(text).map(({ line }) => line)).toEqual(
    fromMarkdown(text).children.flatMap((node) =>
      node.type === 'heading' ? [node.position?.start.line ?? 0] : [],
    ),
  );
});
