import { expect, test } from 'vitest';
import { withoutCode } from './lines.ts';

test.each([
  ['a `b` c', 'a   c'],
  ['a ``b ` c`` d', 'a   d'],
  ['a `b c', 'a `b c'],
  ['a `b\n\nc` d', 'a `b\n\nc` d'],
  ['x\n```js\ny\n```\nz', 'x\nz'],
  ['x\n~~~\ny\n```\n~~~\nz', 'x\nz'],
  ['x\n```\ny', 'x\n```\ny'],
  ['````\n```\na\n````', ''],
])('%j', (text, expected) => {
  expect(withoutCode(text)).toBe(expected);
});

test('unclosed fences and spans in any number are read in linear time', () => {
  const size = 100_000;
  expect(withoutCode('```x\n'.repeat(size / 5))).toContain('```x');
  expect(withoutCode('`'.repeat(size))).toHaveLength(size);
  expect(withoutCode(Array.from({ length: 400 }, (_, index) => '`'.repeat(index + 1)).join(' '))).toContain(
    '`',
  );
});
