import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const shipped = path.join(root, 'skills', 'plan');
const head = '---\nname: bad\ndescription: A package. Triggers on "bad".\nallowed-tools: Read\n---\n\n';
let place: string;

beforeAll(() => {
  place = mkdtempSync(path.join(tmpdir(), 'charrette-bad-input-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** A package named `bad` in a separate folder, next to a neighbour that nothing may touch. */
function make(files: Record<string, string | Buffer>): { folder: string; target: string } {
  const folder = mkdtempSync(path.join(place, 'case-'));
  const target = path.join(folder, 'bad');
  mkdirSync(target);
  mkdirSync(path.join(folder, 'neighbour'));
  writeFileSync(path.join(folder, 'neighbour', 'SKILL.md'), 'not yours\n');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(target, name)), { recursive: true });
    writeFileSync(path.join(target, name), content);
  }
  return { folder, target };
}

/** Every file and link below a folder, but for those of the target and of the program's own home. */
function outside(folder: string, target: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (directory: string) => {
    for (const name of readdirSync(directory).sort()) {
      const file = path.join(directory, name);
      if (file === target || name === '.home') continue;
      const entry = lstatSync(file);
      if (entry.isSymbolicLink()) found[file] = `-> ${readlinkSync(file)}`;
      else if (entry.isDirectory()) walk(file);
      else found[file] = createHash('sha256').update(readFileSync(file)).digest('hex');
    }
  };
  walk(folder);
  return found;
}

const plan = (name: string) => readFileSync(path.join(shipped, name), 'utf8');
const shippedFiles = () =>
  Object.fromEntries(
    ['SKILL.md', ...readdirSync(path.join(shipped, 'phases')).map((file) => `phases/${file}`)].map((file) => [
      file,
      plan(file).replaceAll('name: plan', 'name: bad'),
    ]),
  );

const cases: Record<string, () => { folder: string; target: string }> = {
  'frontmatter that is not YAML': () =>
    make({ 'SKILL.md': '---\nname: [bad\n  description: : :\n\t- x\n---\n\n# Bad\n' }),
  'frontmatter that is never closed': () => make({ 'SKILL.md': '---\nname: bad\n\n# Bad\n' }),
  'CRLF and BOM': () =>
    make(
      Object.fromEntries(
        Object.entries(shippedFiles()).map(([file, text]) => [
          file,
          `\uFEFF${text.replaceAll('\n', '\r\n')}`,
        ]),
      ),
    ),
  'nested and unclosed fences': () =>
    make({ 'SKILL.md': `${head}# Bad\n\n\`\`\`\`md\n\`\`\`js\nx\n\`\`\`\n~~~\n# Phase 1\n\`\`\`` }),
  'a file of 10 MB': () =>
    make({ 'SKILL.md': `${head}# Bad\n\n${'Some words on one line.\n'.repeat(430_000)}` }),
  'a file that is too large': () => make({ 'SKILL.md': Buffer.alloc(17 * 1024 * 1024, 'x') }),
  'bytes that are not text': () =>
    make({ 'SKILL.md': Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 37) % 256)) }),
  'a link to itself and a folder that holds itself': () => {
    const made = make({ 'SKILL.md': `${head}# Bad\n` });
    mkdirSync(path.join(made.target, 'phases'));
    symlinkSync('01-loop.md', path.join(made.target, 'phases', '01-loop.md'));
    symlinkSync('..', path.join(made.target, 'references'));
    return made;
  },
  'phases that link to a file outside': () => {
    const made = make({ 'SKILL.md': `${head}# Bad\n` });
    mkdirSync(path.join(made.target, 'phases'));
    symlinkSync('../../neighbour/SKILL.md', path.join(made.target, 'phases', '01-out.md'));
    return made;
  },
  'a pipe in place of SKILL.md': () => {
    const made = make({});
    spawnSync('mkfifo', [path.join(made.target, 'SKILL.md')]);
    return made;
  },
  'handoffs in a circle': () => {
    const files = shippedFiles();
    const read = (file: string) => `\n\`\`\`javascript\nRead("phases/${file}")\n\`\`\`\n`;
    files['phases/01-session.md'] += read('02-context.md');
    files['phases/02-context.md'] += read('01-session.md');
    return make(files);
  },
  '200 phases': () =>
    make({
      'SKILL.md': `${head}# Bad\n`,
      ...Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [
          `phases/${String(index + 1).padStart(2, '0')}-x.md`,
          `# Phase ${index + 1}: X\n\n## Objective\n\n- x\n`,
        ]),
      ),
    }),
  'an empty folder': () => make({}),
  'a SKILL.md that links to itself': () => {
    const made = make({});
    symlinkSync('SKILL.md', path.join(made.target, 'SKILL.md'));
    return made;
  },
  'a folder called SKILL.md': () => make({ 'SKILL.md/x.md': 'x\n' }),
};

/** What lint must say of them; the other inputs are unusual, not wrong. */
const expected: Record<string, string> = {
  'frontmatter that is not YAML': 'FM010',
  'frontmatter that is never closed': 'FM001',
  'a file of 10 MB': 'SZ001',
  'a file that is too large': 'IO001',
  'bytes that are not text': 'FM001',
  'a link to itself and a folder that holds itself': 'IO001',
  'a pipe in place of SKILL.md': 'IO001',
  'handoffs in a circle': 'HO001',
  '200 phases': 'RF002',
  'an empty folder': 'ST001',
  'a SKILL.md that links to itself': 'IO001',
  'a folder called SKILL.md': 'ST001',
};

test.each(Object.entries(expected))('lint finds %s: %s', async (name, rule) => {
  const { folder } = cases[name]?.() ?? make({});
  const ended = await runCommandLine('skill', 'lint', 'bad', '--json', '--cwd', folder);
  expect(parseJson(ended.out, 'stdout')).toMatchObject({
    packages: [{ findings: expect.arrayContaining([expect.objectContaining({ rule })]) }],
  });
});

test.each(['lint', 'fix', 'show', 'test'])(
  'skill %s does not take a project without SKILL.md and phases/ for a package',
  async (name) => {
    const { target } = make({ 'package.json': '{}', 'src/a.ts': 'export {};\n', 'README.md': '# Shop\n' });
    const ended = await runCommandLine('skill', name, '.', '--json', '--cwd', target);
    expect([ended.exit, parseJson(ended.out, 'stdout')]).toMatchObject([
      4,
      { error: { code: 'not-found', fix: expect.stringContaining('charrette skill new') } },
    ]);
  },
);

test.each(['SKILL.md', 'phases/01-session.md', 'references/deep/a.md'])(
  'a file selects its package: %s',
  async (file) => {
    const { folder } = make({ ...shippedFiles(), 'references/deep/a.md': 'x\n' });
    const ended = await runCommandLine('skill', 'lint', `bad/${file}`, '--json', '--cwd', folder);
    expect(parseJson(ended.out, 'stdout')).toMatchObject({ gate: 'PASS', packages: [{ path: 'bad' }] });
  },
);

test('a file of no package is not found, instead of a package that lacks its SKILL.md', async () => {
  const { target } = make({ 'README.md': '# Shop\n' });
  const ended = await runCommandLine('skill', 'lint', 'README.md', '--json', '--cwd', target);
  expect([ended.exit, parseJson(ended.out, 'stdout')]).toMatchObject([4, { error: { code: 'not-found' } }]);
});

test('S-091 phases alone are a package that lacks its SKILL.md', async () => {
  const { target } = make({ 'phases/01-x.md': '# Phase 1: X\n' });
  const ended = await runCommandLine('skill', 'lint', '--json', '--cwd', target);
  expect(parseJson(ended.out, 'stdout')).toMatchObject({
    packages: [{ findings: expect.arrayContaining([expect.objectContaining({ rule: 'ST001' })]) }],
  });
});

test.each(['CRLF and BOM'])('lint has nothing against %s', async (name) => {
  const { folder } = cases[name]?.() ?? make({});
  const ended = await runCommandLine('skill', 'lint', 'bad', '--json', '--cwd', folder);
  expect(parseJson(ended.out, 'stdout')).toMatchObject({ gate: 'PASS', packages: [{ findings: [] }] });
});

test('a phase that is not UTF-8 is one finding, and no command writes it back with other characters, or says that all is well', async () => {
  const files: Record<string, string | Buffer> = shippedFiles();
  const phase = Buffer.from(
    `${plan('phases/01-session.md').replace('## Output', '## Result')}\nPrüfe die Größe.\n`,
    'latin1',
  );
  files['phases/01-session.md'] = phase;
  const { folder, target } = make(files);
  const linted = await runCommandLine('skill', 'lint', 'bad', '--json', '--cwd', folder);
  const { packages } = parseJson(linted.out, 'stdout') as {
    packages: { findings: { rule: string; severity: string }[] }[];
  };
  expect(
    packages[0]?.findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule),
  ).toEqual(['IO001']);
  for (const words of [['fix'], ['sync', '--renumber']]) {
    const ended = await runCommandLine('skill', ...words, 'bad', '--cwd', folder);
    expect(ended.out).toBe(
      'bad: not changed, because parts cannot be read: phases/01-session.md: it is not UTF-8\n',
    );
    const told = await runCommandLine('skill', ...words, 'bad', '--json', '--cwd', folder);
    expect([ended.exit, told.exit, parseJson(told.out, 'stdout')]).toMatchObject([
      linted.exit,
      linted.exit,
      {
        packages: [{ changed: [], unread: [{ path: 'phases/01-session.md', message: 'it is not UTF-8' }] }],
      },
    ]);
  }
  const converted = await runCommandLine(
    'skill',
    'convert',
    'bad',
    '--from',
    'existing_skill',
    '--out',
    '.',
    '--force',
    '--cwd',
    folder,
  );
  expect([converted.exit, converted.err]).toEqual([1, expect.stringContaining('[conversion-lossy]')]);
  expect(readFileSync(path.join(target, 'phases/01-session.md'))).toEqual(phase);
});

test('a command that is not UTF-8 is not converted', async () => {
  const { folder } = make({});
  const commands = path.join(folder, '.claude/commands/w');
  mkdirSync(commands, { recursive: true });
  writeFileSync(path.join(commands, 'plan.md'), '# Plan\n\n## Phase 1: A\n\nSkill(skill="w:a")\n');
  writeFileSync(path.join(commands, 'a.md'), Buffer.from('# A\n\nPrüfe.\n', 'latin1'));
  const ended = await runCommandLine('skill', 'convert', path.join(commands, 'plan.md'), '--cwd', folder);
  expect([ended.exit, ended.err]).toEqual([1, expect.stringContaining('a.md would not be kept')]);
});

const commands = [
  ['lint', '--all', '.'],
  ['lint', 'bad'],
  ['fix', 'bad'],
  ['sync', 'bad', '--renumber'],
  ['show', 'bad'],
  ['test', 'bad'],
  ['run', 'bad', 'do it', '--dry-run'],
  ['convert', 'bad', '--out', 'made', '--dry-run', '--yes', '--no-input'],
];

describe.each(Object.entries(cases))('%s', (_name, build) => {
  test.each(commands.map((words) => [words.join(' '), words] as const))(
    'skill %s ends with a finding or a clear error and writes nothing outside the package',
    async (_line, words) => {
      const { folder, target } = build();
      const before = outside(folder, target);
      const ended = await runCommandLine('skill', ...words, '--json', '--cwd', folder);
      expect(ended.err).not.toMatch(/\bat \S+ \(|TypeError|RangeError|ERR_/);
      expect([0, 1, 2, 4, 5, 6]).toContain(ended.exit);
      const result = parseJson(ended.out, 'stdout');
      expect(result).not.toMatchObject({ error: { code: 'internal' } });
      expect(outside(folder, target)).toEqual(before);
    },
  );
});
