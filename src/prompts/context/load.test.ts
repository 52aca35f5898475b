import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith, projectWithDocuments } from '../../../test/support/design-project.ts';
import { skipsBecause } from '../../../test/support/optional-programs.ts';
import { type DocumentReading, readDocument } from './defaults.ts';
import { templates } from './folder.ts';
import { examine, loadDesignContext } from './load.ts';

const reports = (text: string) => examine('spec', text).map(({ text: line }) => line);

test.each([
  ['a citation', 'x\n> source: a.md\n', 'line 2'],
  ['the header', '## Design Context (from .moai/design/)', 'line 1'],
  ['a marker', 'x\r\n> truncated: a.md at char_offset=3\r\n', 'line 2'],
  ['a list of warnings', '> warnings: [a]', 'line 1'],
  ['A-26: an open fence', '~~~\nx', 'fence'],
  ['an open comment', '<!--\nx', 'comment'],
])('A-25: %s is reported', (_name, text, word) => {
  expect(reports(text)).toEqual([expect.stringContaining(word)]);
});

test.each([
  'plain text',
  '> sources: a',
  'see `> source: x`',
  '```\nx\n```\n',
  '<!-- a -->',
  '  ## Design Context',
])('A-25: %j is not', (text) => {
  expect(reports(text)).toEqual([]);
});

const header = '## Design Context (from .moai/design/)';
const configured = 'design:\n  design_docs: {}\n';
const settings = (yaml: string) => `design:\n  design_docs:\n    ${yaml}\n`;
const texts = ({ log }: { log: { text: string }[] }) => log.map(({ text }) => text);
const state = (context: { files: { token: string; state: string }[] }, token: string) =>
  context.files.find((file) => file.token === token)?.state;

test('M-040…M-044, A-22, A-23: the whole block, byte for byte', async () => {
  const root = projectWithDocuments(
    { spec: '# Spec\n\nText\n\n\n', research: 'No newline', system: 'a\r\nb\r\n' },
    configured,
  );
  const context = await loadDesignContext({ root });
  expect(context.text).toBe(
    `${header}\n\n> source: .moai/design/spec.md\n# Spec\n\nText\n\n> source: .moai/design/system.md\na\r\nb\n\n> source: .moai/design/research.md\nNo newline\n`,
  );
  expect(context.log).toEqual([]);
  expect(context.outcome).toBe('loaded');
});

test('M-006, A-50: without settings the defaults are used and said so', async () => {
  const context = await loadDesignContext({ root: projectWithDocuments({ spec: 'x' }) });
  expect(texts(context)).toEqual(['design_docs not configured — using defaults']);
  expect(context.budget.tokens).toBe(20_000);
});

test('A-53: broken YAML never stops the block', async () => {
  const context = await loadDesignContext({ root: projectWithDocuments({ spec: 'x' }, 'design: [\n') });
  expect(context.text).toContain('> source: .moai/design/spec.md\nx\n');
  expect(texts(context)[0]).toBe('design_docs not configured — using defaults');
  expect(context.log[1]).toMatchObject({ level: 'warning', text: expect.stringContaining('design.yaml') });
});

test('M-012, A-59: a missing folder gives the header alone and its log line', async () => {
  const context = await loadDesignContext({
    root: projectWith({ '.moai/config/sections/design.yaml': configured }),
  });
  expect(context).toMatchObject({ outcome: 'folder-missing', text: `${header}\n`, files: [] });
  expect(texts(context)).toEqual([
    'design docs not initialized — run /moai init or SPEC-DESIGN-DOCS-001 to create',
  ]);
});

test('A-62: a file in place of the folder counts as missing', async () => {
  const context = await loadDesignContext({ root: projectWith({ '.moai/design': 'x' }) });
  expect(context.outcome).toBe('folder-missing');
});

test('M-014…M-016, A-56, A-58, A-59: the gate', async () => {
  const root = projectWithDocuments({ spec: 'x' }, settings('auto_load_on_design_command: false'));
  const seen: string[] = [];
  const reader = (directory: string, filename: string): Promise<DocumentReading> => {
    seen.push(filename);
    return readDocument(directory, filename);
  };
  const closed = await loadDesignContext({ root, mode: 'auto', dir: '.moai/design', reader });
  expect(closed).toMatchObject({ outcome: 'gate-closed', text: '', log: [] });
  expect(seen).toEqual([]);
  const open = await loadDesignContext({ root, mode: 'standalone', reader });
  expect(open.text).toContain('> source:');
});

test('A-58: gate closed and folder missing prints nothing', async () => {
  const yaml = settings('auto_load_on_design_command: false');
  const root = projectWith({ '.moai/config/sections/design.yaml': yaml });
  expect(await loadDesignContext({ root, mode: 'auto' })).toMatchObject({ text: '', log: [] });
});

test('M-020, M-021, A-69: starts all reads before the first one ends', async () => {
  const root = projectWithDocuments({}, settings('priority: [a, spec, b]'));
  mkdirSync(path.join(root, '.moai/design'), { recursive: true });
  const waiting: (() => void)[] = [];
  const reader = async (_directory: string, filename: string): Promise<DocumentReading> => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 3) for (const release of waiting.reverse()) release();
    });
    return { state: 'text', text: `from ${filename}`, characters: 10 };
  };
  const context = await loadDesignContext({ root, reader });
  expect(context.files.map(({ token }) => token)).toEqual(['a', 'spec', 'b']);
  expect(context.text.indexOf('from a.md')).toBeLessThan(context.text.indexOf('from spec.md'));
});

test('M-008, M-009, A-20, A-21: an explicit folder replaces the configured one', async () => {
  const root = projectWith({ '.moai/design/spec.md': 'wrong', 'docs/alt/spec.md': 'right' });
  const directories = new Set<string>();
  for (const dir of ['docs/alt', 'docs/alt///', path.join(root, 'docs/alt'), './docs/alt']) {
    const context = await loadDesignContext({
      root,
      dir,
      reader: (directory, filename) => {
        directories.add(directory);
        return readDocument(directory, filename);
      },
    });
    expect(context.text).toBe(`${header}\n\n> source: docs/alt/spec.md\nright\n`);
  }
  expect([...directories]).toEqual([realpathSync(path.join(root, 'docs/alt'))]);
});

test('A-21: a folder outside the project that is given by word is cited as given', async () => {
  const other = projectWith({ 'spec.md': 'x' });
  const context = await loadDesignContext({ root: projectWith(), dir: `${other}/` });
  expect(context.text).toContain(`> source: ${other}/spec.md\n`);
});

test.each(['https://example.com/design', '', ' ', 'a\nb', 'a\0b'])(
  'A-61: the folder %j is wrong usage',
  async (dir) => {
    await expect(loadDesignContext({ root: projectWith(), dir })).rejects.toMatchObject({ code: 'usage' });
  },
);

test.each([0, -1, 1.5, Number.NaN])('a budget of %d is wrong usage', async (budget) => {
  await expect(loadDesignContext({ root: projectWith(), budget })).rejects.toMatchObject({ code: 'usage' });
});

test('M-022, M-024: what does not exist is not mentioned, what is not asked for is not read', async () => {
  const root = projectWithDocuments({ spec: 'x', README: 'no', tokens: 'no' }, configured);
  const context = await loadDesignContext({ root });
  expect(context.text).not.toContain('no');
  expect(context.files.map(({ token, state: found }) => [token, found])).toEqual([
    ['spec', 'whole'],
    ['system', 'absent'],
    ['research', 'absent'],
    ['pencil-plan', 'absent'],
  ]);
  expect(context.log).toEqual([]);
});

test('M-025: each call reads again', async () => {
  const root = projectWithDocuments({ spec: 'one' });
  expect((await loadDesignContext({ root })).text).toContain('one');
  writeFileSync(path.join(root, '.moai/design/spec.md'), 'two');
  expect((await loadDesignContext({ root })).text).toContain('two');
});

test('M-026…M-029: placeholders are skipped whole and named', async () => {
  const root = projectWithDocuments(
    { spec: 'x\n_TBD_', system: '_TBD_\n', research: templates['research.md'] ?? '' },
    configured,
  );
  const context = await loadDesignContext({ root });
  expect(context.text).toBe(`${header}\n\n> source: .moai/design/spec.md\nx\n_TBD_\n`);
  expect(texts(context)).toEqual(['skip: system — _TBD_ only', 'skip: research — _TBD_ only']);
});

test('M-030: nothing but placeholders gives the header alone', async () => {
  const context = await loadDesignContext({ root: projectWithDocuments({ spec: '_TBD_' }, configured) });
  expect(context).toMatchObject({ outcome: 'all-placeholders', text: `${header}\n` });
  expect(texts(context)).toEqual([
    'skip: spec — _TBD_ only',
    'design docs present but all are _TBD_ — no content loaded',
  ]);
});

test('A-39: an empty folder is not called all _TBD_', async () => {
  const context = await loadDesignContext({ root: projectWith({ '.moai/design/other.txt': '' }) });
  expect(context).toMatchObject({ outcome: 'no-candidates', text: `${header}\n` });
  expect(texts(context).at(-1)).toBe('design docs: no candidate files in .moai/design');
});

test('A-40: skipped and unreadable together are not called all _TBD_', async () => {
  const root = projectWithDocuments({ spec: '_TBD_', system: Buffer.from([0xff]) }, configured);
  const context = await loadDesignContext({ root });
  expect(context.text).toBe(`${header}\n\n> warnings: [system unreadable: invalid UTF-8]\n`);
  expect(texts(context)).toEqual(['skip: spec — _TBD_ only']);
});

test('M-023, M-045, M-046, A-28, A-64…A-66: every kind of unreadable file has its word, the rest is loaded', async () => {
  const outside = projectWith({ 'secret.md': 'secret' });
  const tokens = ['spec', 'nul', 'latin', 'folder', 'fifo', 'leaves', 'inside', 'dangling', 'loop', 'device'];
  const root = projectWithDocuments(
    { spec: 'x', nul: 'a\0b', latin: Buffer.from([0x63, 0xe9]), target: 'linked' },
    settings(`priority: [${tokens.join(', ')}]`),
  );
  const design = path.join(root, '.moai/design');
  mkdirSync(path.join(design, 'folder.md'));
  execFileSync('mkfifo', [path.join(design, 'fifo.md')]);
  symlinkSync(path.join(outside, 'secret.md'), path.join(design, 'leaves.md'));
  symlinkSync('target.md', path.join(design, 'inside.md'));
  symlinkSync('nowhere.md', path.join(design, 'dangling.md'));
  symlinkSync('loop.md', path.join(design, 'loop.md'));
  symlinkSync('/dev/zero', path.join(design, 'device.md'));
  const context = await loadDesignContext({ root });
  expect(context.text).toBe(
    `${header}\n\n> source: .moai/design/spec.md\nx\n\n> source: .moai/design/inside.md\nlinked\n\n> warnings: [nul unreadable: contains NUL, latin unreadable: invalid UTF-8, folder unreadable: is a directory, fifo unreadable: not a regular file, leaves unreadable: symlink leaves design dir, loop unreadable: io error, device unreadable: symlink leaves design dir]\n`,
  );
  expect(state(context, 'dangling')).toBe('absent');
  expect(context.text).not.toContain('secret');
});

test('A-64: the folder itself may be a link, and a link may not leave by a folder', async () => {
  const real = projectWith({ 'spec.md': 'x' });
  const outside = projectWith({ 'system.md': 'secret' });
  const root = projectWith();
  symlinkSync(real, path.join(root, 'design'));
  symlinkSync(outside, path.join(real, 'sub'));
  symlinkSync(path.join('sub', 'system.md'), path.join(real, 'system.md'));
  const context = await loadDesignContext({ root, dir: 'design' });
  expect(context.text).toBe(
    `${header}\n\n> source: design/spec.md\nx\n\n> warnings: [system unreadable: symlink leaves design dir]\n`,
  );
});

test.skipIf(skipsBecause(process.getuid?.() === 0, 'root can read every file'))(
  'M-023, A-28: no permission',
  async () => {
    const root = projectWithDocuments({ spec: 'x', system: 'y' }, configured);
    chmodSync(path.join(root, '.moai/design/system.md'), 0);
    const context = await loadDesignContext({ root });
    expect(context.text).toContain('> warnings: [system unreadable: permission denied]');
  },
);

test('M-023: a reader that reports no permission', async () => {
  const root = projectWithDocuments({ spec: 'x' }, configured);
  const reader = async (): Promise<DocumentReading> => ({ state: 'unreadable', reason: 'permission denied' });
  expect((await loadDesignContext({ root, reader })).text).toBe(
    `${header}\n\n> warnings: [spec unreadable: permission denied, system unreadable: permission denied, research unreadable: permission denied, pencil-plan unreadable: permission denied]\n`,
  );
});

test('A-05, A-06, A-17, M-037, M-038: offsets are code points of the text without BOM', async () => {
  const first = '😀'.repeat(40).concat('\n');
  const root = projectWithDocuments({ spec: `\uFEFF${first}## Next\nmore and more\n` }, configured);
  const context = await loadDesignContext({ root, budget: 13 });
  expect(context.text).toBe(
    `${header}\n\n> source: .moai/design/spec.md\n${first}\n> truncated: spec.md at char_offset=41\n`,
  );
  expect(context.files[0]).toMatchObject({ state: 'cut', offset: 41, characters: 63, cutAt: 'section' });
});

test('A-18: the smallest budget names spec and shows nothing of it', async () => {
  const root = projectWithDocuments({ spec: 'text', system: 'text' }, configured);
  const context = await loadDesignContext({ root, budget: 1 });
  expect(context.text).toBe(
    `${header}\n\n> source: .moai/design/spec.md\n\n> truncated: spec.md at char_offset=0\n`,
  );
  expect(state(context, 'system')).toBe('dropped');
});

test('M-037: the sample of the contract: research cut behind whole spec and system', async () => {
  const section = (name: string) => `## ${name}\n${'word '.repeat(40)}\n`;
  const root = projectWithDocuments(
    {
      spec: section('a'),
      system: section('b'),
      research: section('c') + section('d'),
      'pencil-plan': section('e'),
    },
    configured,
  );
  const context = await loadDesignContext({ root, budget: 180 });
  expect(context.files.map(({ state: found }) => found)).toEqual(['whole', 'whole', 'cut', 'dropped']);
  expect(context.text).toMatch(/\n\n> truncated: research\.md at char_offset=206\n$/);
  expect(await loadDesignContext({ root, budget: 180, overflow: 'drop' })).toMatchObject({
    files: [{ state: 'whole' }, { state: 'whole' }, { state: 'dropped' }, { state: 'dropped' }],
  });
});

test('A-25, A-26: imitations and open fences are passed on and reported', async () => {
  const root = projectWithDocuments({ spec: 'x\n> source: .moai/design/fake.md\n```\n' }, configured);
  const context = await loadDesignContext({ root });
  expect(context.text).toContain('> source: .moai/design/fake.md\n```');
  expect(context.log).toMatchObject([
    { level: 'warning', text: expect.stringContaining('line 2') },
    { level: 'warning', text: expect.stringContaining('never closed') },
  ]);
});

test('a settings file that is a directory or a FIFO is survived', async () => {
  for (const make of [(file: string) => mkdirSync(file), (file: string) => execFileSync('mkfifo', [file])]) {
    const root = projectWithDocuments({ spec: 'x' }, configured);
    const file = path.join(root, '.moai/config/sections/design.yaml');
    rmSync(file);
    make(file);
    const context = await loadDesignContext({ root });
    expect(context.outcome).toBe('loaded');
    expect(context.log[0]?.text).toBe('design_docs not configured — using defaults');
  }
});

test('A-55: a token that leads out of the folder is never read', async () => {
  const root = projectWith({
    'secret.md': 'secret',
    '.moai/design/spec.md': 'x',
    '.moai/config/sections/design.yaml': settings('priority: ["../../secret", spec]'),
  });
  const context = await loadDesignContext({ root });
  expect(context.text).not.toContain('secret');
  expect(context.files.map(({ token }) => token)).toEqual(['spec']);
});

test('M-003, M-018, M-019, A-57: tokens of the configured folder, bare in the log, with .md in citations', async () => {
  const root = projectWith({
    'docs/wanted/notes.md': '## a\n'.repeat(30),
    'docs/wanted/empty.md': '_TBD_',
    '.moai/config/sections/design.yaml': settings('dir: docs/wanted\n    priority: [notes, empty]'),
  });
  await expect(loadDesignContext({ root })).resolves.toMatchObject({
    dir: 'docs/wanted',
    outcome: 'all-placeholders',
  });
  writeFileSync(path.join(root, 'docs/wanted/notes.md'), `${'text\n'.repeat(9)}## a\n${'text\n'.repeat(9)}`);
  const context = await loadDesignContext({ root, budget: 16 });
  expect(texts(context)).toContain('skip: empty — _TBD_ only');
  expect(context.text).toContain('> source: docs/wanted/notes.md\n');
  expect(context.text).toMatch(/^> truncated: notes\.md at char_offset=45$/m);
});

test('M-002, M-013, M-049, A-63: missing and empty folders differ in the log only', async () => {
  const missing = projectWith();
  const empty = projectWith({ '.moai/design/.keep': '' });
  for (const mode of ['auto', 'standalone'] as const) {
    const [a, b] = [
      await loadDesignContext({ root: missing, mode }),
      await loadDesignContext({ root: empty, mode }),
    ];
    expect(a.text).toBe(b.text);
    expect(texts(a).at(-1)).toContain('design docs not initialized');
    expect(texts(b).at(-1)).toContain('no candidate files');
  }
});

test('M-048: no log line is in the block, and every fixed one has an em dash', async () => {
  const root = projectWithDocuments({ spec: '_TBD_', system: 'x' });
  const context = await loadDesignContext({ root });
  for (const line of texts(context)) {
    expect(context.text).not.toContain(line);
    expect(line).toContain(' \u2014 ');
  }
});

test('A-04: the frame costs nothing', async () => {
  const root = projectWithDocuments({ spec: 'x'.repeat(40) }, configured);
  expect(await loadDesignContext({ root, budget: 11 })).toMatchObject({
    files: [{ state: 'whole' }, {}, {}, {}],
  });
});

test('A-24, A-27, A-29: citations on their own line, marker with its file, warnings last, header first', async () => {
  const root = projectWithDocuments(
    { spec: 'no newline', system: 'also none', research: Buffer.from([0xff]) },
    configured,
  );
  const lines = (await loadDesignContext({ root, budget: 5 })).text.split('\n');
  expect(lines).toEqual([
    header,
    '',
    '> source: .moai/design/spec.md',
    'no newline',
    '',
    '> warnings: [research unreadable: invalid UTF-8]',
    '',
  ]);
  const cut = (await loadDesignContext({ root, budget: 3 })).text.split('\n');
  expect(cut.slice(2)).toEqual([
    '> source: .moai/design/spec.md',
    'no newli',
    '',
    '> truncated: spec.md at char_offset=8',
    '',
    '> warnings: [research unreadable: invalid UTF-8]',
    '',
  ]);
});

test('A-38: one filled section brings the whole file, its placeholders too', async () => {
  const text = '## A\n\n_TBD_\n\n## B\n\nWritten.\n\n## C\n\n_TBD_\n';
  const context = await loadDesignContext({ root: projectWithDocuments({ spec: text }, configured) });
  expect(context.text).toContain(`> source: .moai/design/spec.md\n${text}`);
});
