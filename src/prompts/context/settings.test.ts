import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { defaultSettings, settingsTemplate } from './defaults.ts';
import { readPlainSettings, readSettings, type SettingsSource } from './settings.ts';

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

const from = (value: unknown) => readSettings({ kind: 'value', value });
const withDocs = (docs: unknown) => from({ design: { design_docs: docs } });
const texts = (reading: { log: { text: string }[] }) => reading.log.map(({ text }) => text);
const notConfigured = 'design_docs not configured — using defaults';

test.each<[string, SettingsSource]>([
  ['M-006 no file', { kind: 'absent' }],
  ['A-52 an empty file', { kind: 'value', value: null }],
  ['A-52 a null section', { kind: 'value', value: { design: { design_docs: null } } }],
  ['M-006 another section only', { kind: 'value', value: { design: { gan_loop: {} } } }],
])('%s: defaults and the log line', (_name, source) => {
  const reading = readSettings(source);
  expect(reading.settings).toEqual(defaultSettings);
  expect(texts(reading)).toEqual([notConfigured]);
});

test('A-53: broken YAML gives defaults, the log line and a warning with the parse error', () => {
  const reading = readSettings({ kind: 'broken', message: 'Flow sequence must end with a ]' });
  expect(reading.settings).toEqual(defaultSettings);
  expect(texts(reading)).toEqual([notConfigured, expect.stringContaining('Flow sequence')]);
});

test('M-004, A-50: the section below design, or at the root', () => {
  const docs = { dir: 'd', auto_load_on_design_command: false, token_budget: 5, priority: ['spec'] };
  const expected = { dir: 'd', autoLoad: false, budget: 5, priority: ['spec'] };
  expect(withDocs(docs).settings).toEqual(expected);
  expect(from({ design_docs: docs }).settings).toEqual(expected);
});

test('A-51: a missing key gets its own default, without the log line', () => {
  const reading = withDocs({ token_budget: 7 });
  expect(reading.settings).toEqual({ ...defaultSettings, budget: 7 });
  expect(reading.log).toEqual([]);
});

test.each([-1, 0, 1.5, 'many', '1e3', '-5', true, [], 2 ** 60, Number.NaN])(
  'M-007, A-54: a budget of %j becomes 20000 with a warning',
  (value) => {
    const reading = withDocs({ token_budget: value });
    expect(reading.settings.budget).toBe(20_000);
    expect(reading.log).toMatchObject([{ level: 'warning', text: expect.stringContaining('token_budget') }]);
  },
);

test('A-54: digits in quotes and true/false as text are accepted', () => {
  const reading = withDocs({ token_budget: '300', auto_load_on_design_command: 'False' });
  expect(reading).toEqual({ settings: { ...defaultSettings, budget: 300, autoLoad: false }, log: [] });
  expect(withDocs({ auto_load_on_design_command: 'perhaps' })).toMatchObject({
    settings: { autoLoad: true },
    log: [{ level: 'warning' }],
  });
});

test.each([[[]], ['spec'], [{ a: 1 }], [7]])(
  'A-54: priority %j becomes the default with a warning',
  (value) => {
    const reading = withDocs({ priority: value });
    expect(reading.settings.priority).toEqual(defaultSettings.priority);
    expect(reading.log).toMatchObject([{ level: 'warning' }]);
  },
);

test('A-55: unsafe names are ignored, .md is removed, the first of duplicates counts', () => {
  const priority = [
    'spec.md',
    '../../x',
    'a/b',
    '.hidden',
    '',
    null,
    'spec',
    'notes',
    '-x',
    'a b',
    'spec.md.md',
  ];
  const reading = withDocs({ priority });
  expect(reading.settings.priority).toEqual(['spec', 'notes']);
  expect(texts(reading).filter((text) => text.endsWith('ignored'))).toHaveLength(8);
  expect(texts(reading)).toContain('priority entry "spec.md" is written without .md: spec');
});

test('A-55: a list of unsafe names only falls back to the default', () => {
  expect(withDocs({ priority: ['../x'] }).settings.priority).toEqual(defaultSettings.priority);
});

test('M-011, A-19: another order is honoured with a warning', () => {
  const reading = withDocs({ priority: ['research', 'spec'] });
  expect(reading.settings.priority).toEqual(['research', 'spec']);
  expect(texts(reading)).toEqual([
    expect.stringContaining('research > spec'),
    expect.stringContaining('spec is not first'),
  ]);
  expect(texts(withDocs({ priority: ['research'] })).at(-1)).toContain('is not read');
});

test.each(['https://example.com/x', '', 'a\nb', 5])(
  'M-010, A-61: dir %j becomes the default with a warning',
  (dir) => {
    expect(withDocs({ dir })).toMatchObject({
      settings: { dir: '.moai/design' },
      log: [{ level: 'warning' }],
    });
  },
);

test('M-005: the shipped settings file holds exactly the four keys with their defaults', () => {
  expect(parse(settingsTemplate)).toEqual({
    design: {
      design_docs: {
        dir: '.moai/design',
        auto_load_on_design_command: true,
        token_budget: 20_000,
        priority: ['spec', 'system', 'research', 'pencil-plan'],
      },
    },
  });
  expect(from(parse(settingsTemplate))).toEqual({ settings: defaultSettings, log: [] });
});
