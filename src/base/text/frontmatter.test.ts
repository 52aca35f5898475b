import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { readFrontMatter, writeFrontMatter, yamlValue } from './frontmatter.ts';

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

test('data, body and raw text', () => {
  const text = '---\nname: a\ntags: [x, y]\n---\n# Body\n';
  expect(readFrontMatter(text)).toEqual({
    present: true,
    data: { name: 'a', tags: ['x', 'y'] },
    body: '# Body\n',
    bodyStart: text.indexOf('#'),
    raw: 'name: a\ntags: [x, y]\n',
    problems: [],
  });
});

test('accepts a text without front matter', () => {
  expect(readFrontMatter('# a\n')).toMatchObject({ present: false, body: '# a\n', problems: [] });
  expect(readFrontMatter('---\n\nprose\n')).toMatchObject({ present: false, problems: [] });
});

test.each([
  ['unclosed', '---\nname: a\n# Body', 'unclosed', 1],
  ['broken', '---\nok: 1\nname: [a\n---\nb', 'invalid-yaml', 4],
  ['twice the same key', '---\na: 1\na: 2\n---\nb', 'duplicate-key', 3],
  ['a list', '---\n- a\n---\nb', 'not-a-mapping', 2],
  ['a sentence', '---\njust words\n---\nb', 'not-a-mapping', 2],
  ['a missing anchor', '---\na: *nope\n---\nb', 'invalid-yaml', 2],
  ['an alias bomb', `---\na: &a [1]\n${bomb()}---\nb`, 'invalid-yaml', 2],
  ['too much', `---\na: ${'x'.repeat(300_000)}\n---\nb`, 'too-large', 2],
])('%s is a problem, not an exception', (_name, text, kind, line) => {
  const { problems } = readFrontMatter(text);
  expect(problems[0]).toMatchObject({ kind, line });
});

function bomb(): string {
  const lines = ['b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]'];
  for (const [name, of] of ['cb', 'dc', 'ed', 'fe', 'gf', 'hg'].map((pair) => [...pair])) {
    lines.push(`${name}: &${name} [${Array(9).fill(`*${of}`).join(', ')}]`);
  }
  return `${lines.join('\n')}\n`;
}

test('keeps what is readable next to a duplicate key', () => {
  expect(readFrontMatter('---\na: 1\na: 2\nb: 3\n---\n').data).toMatchObject({ b: 3 });
});

test('BOM and CRLF', () => {
  expect(readFrontMatter('\uFEFF---\r\na: 1\r\n---\r\nb')).toMatchObject({
    data: { a: 1 },
    body: 'b',
    bodyStart: 17,
  });
  expect(readFrontMatter('\uFEFFb')).toMatchObject({ body: 'b', bodyStart: 1 });
});

test('a key named __proto__ changes no prototype', () => {
  const { data } = readFrontMatter('---\n__proto__: {polluted: yes}\n---\n');
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
});

test('reading never throws and splits the text exactly', () => {
  const part = fc.constantFrom(
    '---',
    '...',
    '\n',
    '\r\n',
    'a: ',
    'b',
    '[',
    '{',
    '*x',
    '&x ',
    '- ',
    '"',
    "'",
    '|',
    '!!js ',
    '\t',
    '%',
    '\0',
    '\uFEFF',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      for (const candidate of [text, `---\n${text}\n---\n${text}`]) {
        const { body, bodyStart } = readFrontMatter(candidate);
        expect(candidate.slice(bodyStart)).toBe(body);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('what is written reads back', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
  const data = fc.dictionary(
    fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
    value,
  );
  fc.assert(
    fc.property(data, fc.string(), (written, body) => {
      const reading = readFrontMatter(writeFrontMatter(written, body));
      expect(reading.problems).toEqual([]);
      expect(reading.data).toEqual({ ...written });
      expect(reading.body).toBe(body);
    }),
    { numRuns: 500 },
  );
});
