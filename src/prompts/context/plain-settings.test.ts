import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { settingsTemplate } from './defaults.ts';
import { readPlainSettings } from './plain-settings.ts';

test('M-003, M-005: the shipped settings are plain', () => {
  expect(readPlainSettings(settingsTemplate)).toEqual(parse(settingsTemplate));
});

test('comments, lists in both forms, quotes, other sections', () => {
  const text =
    '# Design\ndesign:\n  gan_loop:   # later\n    max: 5\n    strict: false\n  design_docs:\n    dir: "docs/my design"\n    priority:\n      - spec\n      - notes # mine\n    token_budget: \'900\'\n  empty:\nother: [1, two, ./three]\r\n';
  expect(readPlainSettings(text)).toEqual(parse(text));
});

test.each([
  'a: &x 1',
  'a: 1.5',
  'a: |\n  text',
  'a: {b: 1}',
  'a: [[1]]',
  'a: "x\\n"',
  'a:\tb',
  'a: b: c',
  '- a',
  'a: 1\na: 2',
  'a: yes\n b: 1',
  '---\na: 1',
  'a: Null',
  'a: .inf',
  'a: 0x10',
  'a: 012',
  'a: two words',
  '',
  'text',
])('%j is left to the parser', (text) => {
  expect(readPlainSettings(text)).toBeUndefined();
});

const line = fc
  .tuple(
    fc.constantFrom('', ' ', '  ', '    ', '      '),
    fc.constantFrom(
      'design:',
      'a:',
      'b: ',
      'dir: ',
      'token_budget: ',
      'priority: ',
      '- ',
      '-',
      '# c',
      '',
      '"q": ',
      'a',
    ),
    fc.constantFrom(
      '',
      'x',
      '7',
      '-3',
      '0',
      '01',
      'true',
      'null',
      '~',
      '[a, b]',
      '[]',
      '[a,]',
      '[ a ]',
      '"q r"',
      "'s'",
      './p',
      '.5',
      '.moai/d',
      'a#b',
      'a #b',
      '#',
      '1e3',
      '0o7',
      'y',
      'a-b',
      'a.',
      '-',
      '{}',
      '|',
      '\t',
      'a b',
      '2026-01-01',
      'x:',
      '*x',
    ),
  )
  .map((parts) => parts.join(''));

test('whenever it answers, the YAML parser says the same', () => {
  let answered = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 7 }), fc.constantFrom('\n', '\r\n'), (lines, newline) => {
      const text = lines.join(newline);
      const plain = readPlainSettings(text);
      if (plain === undefined) return;
      answered += 1;
      const document = parseDocument(text);
      expect(document.errors).toEqual([]);
      expect(document.toJS()).toEqual(plain);
    }),
    { numRuns: 20_000 },
  );
  expect(answered).toBeGreaterThan(100);
});
