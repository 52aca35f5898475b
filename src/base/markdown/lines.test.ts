import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fenceInfo, frontMatterExtent, markdownLines, scanLines } from './lines.ts';

const kinds = (text: string) => markdownLines(text).map(({ kind }) => kind);

test('distinguishes front matter, fences, comments and text', () => {
  const text = '---\na: 1\n---\n# T\n```ts\n## no\n```\n<!-- a\n## no\nb -->\nend';
  expect(kinds(text)).toEqual([
    ...Array(3).fill('front-matter'),
    'text',
    'fence-open',
    'code',
    'fence-close',
    ...Array(3).fill('comment'),
    'text',
  ]);
});

test.each([
  ['a longer fence holds a shorter one', '````\n```\n````\nx', ['fence-open', 'code', 'fence-close', 'text']],
  ['a closer may be longer', '```\n`````\nx', ['fence-open', 'fence-close', 'text']],
  ['tildes do not close backticks', '```\n~~~\n```', ['fence-open', 'code', 'fence-close']],
  ['a closer has no info string', '```\n``` js\n```', ['fence-open', 'code', 'fence-close']],
  ['three spaces of indent are allowed', '   ```\n  ```\nx', ['fence-open', 'fence-close', 'text']],
  ['four spaces are indented code', '    ```\nx', ['text', 'text']],
  ['a tab is indented code', '\t```\nx', ['text', 'text']],
  ['backticks in the info string are inline code', '``` a`b\nx', ['text', 'text']],
  ['tilde fences take any info', '~~~ a`b\nx\n~~~', ['fence-open', 'code', 'fence-close']],
  ['two backticks do not open a fence', '``\nx', ['text', 'text']],
  ['an unclosed fence runs to the end', '```\n# a\n# b', ['fence-open', 'code', 'code']],
  ['a comment in one line', '<!-- a -->\nx', ['comment', 'text']],
  ['an unclosed comment runs to the end', '<!-- a\n# b', ['comment', 'comment']],
  ['a comment inside a fence is code', '```\n<!--\n```\nx', ['fence-open', 'code', 'fence-close', 'text']],
  ['a fence inside a comment is comment', '<!--\n```\n-->\nx', ['comment', 'comment', 'comment', 'text']],
  ['A-08: form feed and U+2028 end no line', 'a\f## b\u2028## c\n', ['text']],
])('%s', (_name, text, expected) => {
  expect(kinds(text)).toEqual(expected);
});

test.each([
  ['closed by dots', '---\na: 1\n...\nx', true],
  ['lists, comments, folded text', '---\n# c\na: >\n  long\n  text\nb:\n- 1\n\n---\nx', true],
  ['empty', '---\n---\nx', true],
  ['A-37: a rule before prose', '---\nThis is prose.\n---\n', false],
  ['A-37: a rule before a heading', '---\n\n## Title\n\n---\n', false],
  ['A-37: a title between two rules', '---\n# Title\n\n---\n', false],
  ['unclosed', '---\na: 1\n', false],
  ['not on the first line', '\n---\na: 1\n---\n', false],
  ['four dashes', '----\na: 1\n---\n', false],
  ['CRLF and BOM', '\uFEFF---\r\na: 1\r\n---\r\nx', true],
])('A-37 front matter: %s', (_name, text, expected) => {
  expect(frontMatterExtent(text) !== undefined).toBe(expected);
});

test('CR before LF belongs to the line ending, a BOM to no line', () => {
  expect(markdownLines('\uFEFFa\r\n\r\nb')).toMatchObject([
    { start: 1, end: 2, next: 4, number: 1 },
    { start: 4, end: 4, next: 6, number: 2 },
    { start: 6, end: 7, next: 7, number: 3 },
  ]);
});

test('the info string is what follows the fence', () => {
  const text = '  ~~~~ ts title="x"  \n~~~~';
  const [open] = markdownLines(text);
  expect(open && fenceInfo(text, open)).toBe('ts title="x"');
});

test('the end says what was left open', () => {
  expect(scanLines('```\nx', () => true)).toEqual({ lines: 2, openFence: true, openComment: false });
  expect(scanLines('<!--\nx', () => true)).toEqual({ lines: 2, openFence: false, openComment: true });
});

test('a visitor that returns false stops the scan', () => {
  let seen = 0;
  scanLines('a\nb\nc', () => {
    seen += 1;
    return seen < 2;
  });
  expect(seen).toBe(2);
});

const fragment = fc.constantFrom(
  '---',
  '```',
  '````',
  '~~~',
  '<!--',
  '-->',
  '# a',
  'a: b',
  '\r',
  '\n',
  '\r\n',
  ' ',
  '\t',
  '`',
  '\u{1F600}',
  '\uFEFF',
  '\0',
  'x',
);
const hostileText = fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join(''));

test('lines cover the text without gap or overlap', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      let expected = text.startsWith('\uFEFF') ? 1 : 0;
      for (const line of markdownLines(text)) {
        expect(line.start).toBe(expected);
        expect(line.end).toBeGreaterThanOrEqual(line.start);
        expect(text.slice(line.end, line.next)).toMatch(/^(\r?\n)?$/);
        expect(text.slice(line.start, line.end)).not.toContain('\n');
        expected = line.next;
      }
      expect(expected).toBe(text.length);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['one line', 'x'.repeat(3_000_000)],
  ['openers only', '```\n~~~~\n'.repeat(300_000)],
  ['comments never closed', '<!-- '.repeat(600_000)],
  ['a comment opener on every line, none closed', '<!--\n'.repeat(600_000)],
  ['backticks with a late backtick', `${'`'.repeat(1_500_000)}x\`\n`.repeat(2)],
  ['front matter never closed', `---\n${'a: b\n'.repeat(600_000)}`],
  ['rules only', '---\n'.repeat(700_000)],
  ['blank lines', '\n'.repeat(3_000_000)],
])('megabytes of %s are scanned to the end', (_name, text) => {
  let last = 0;
  scanLines(text, (_kind, _start, _end, next) => {
    last = next;
    return true;
  });
  expect(last).toBe(text.length);
});
