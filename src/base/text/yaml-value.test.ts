import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { readFrontMatter } from './frontmatter.ts';
import { yamlValue } from './yaml-value.ts';

const read = (text: string) => yamlValue(parseDocument(text, { logLevel: 'silent' }));

test('what people write is what it was', () => {
  expect(read('a: 1\nb: [x, {c: d}]\n? e\n: f\n2: g\n~: h\n')).toEqual({
    a: 1,
    b: ['x', { c: 'd' }],
    e: 'f',
    2: 'g',
    '': 'h',
  });
  expect(read('base: &b {x: 1}\nown:\n  <<: *b\n  y: 2\n')).toMatchObject({ own: { y: 2 } });
  expect(read('')).toBeNull();
  expect(read('text')).toBe('text');
});

test.each([
  ['a mapping', '? ? a'],
  ['a list in brackets', '[1, 2]: a'],
  ['a mapping in braces', '{a: b}: c'],
  ['a list far inside', 'deep:\n  - x: [{? [y] : z}]'],
  ['a reference', 'a: &list [1]\n*list : b'],
  ['a key of a key of a key …', '? '.repeat(5000)],
])('a key that is %s is refused at once', (_, text) => {
  expect(() => read(text)).toThrow(/a key is a list or a mapping|call stack/);
});

test('front matter of nested keys took minutes for two kilobytes', () => {
  const { data, problems } = readFrontMatter(`---\n${'? '.repeat(1600)}\n---\n`);
  expect(data).toEqual({});
  expect(problems).toMatchObject([{ kind: 'invalid-yaml' }]);
});
