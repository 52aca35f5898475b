import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';
import { readMeta } from '../../prompts/feature/meta.ts';
import { nextId } from '../../workflows/feature/rules/create.ts';

const project = () => mkdtempSync(path.join(tmpdir(), 'project-'));

test('T-001: ids of three digits, slugs of at most thirty characters', async () => {
  const cwd = project();
  const first = await runCommandLine(
    'feature',
    'new',
    'Search',
    'by tag, and by a great many other things',
    '--cwd',
    cwd,
  );
  expect(first).toMatchObject({
    exit: 0,
    out: `made ${cwd}/docs/features/001-search-by-tag-and-by-a-great\n`,
  });
  const second = await runCommandLine('feature', 'new', 'Sort', '--cwd', cwd, '--json');
  expect(parseJson(second.out, 'stdout')).toMatchObject({ id: '002', slug: 'sort', files: ['.meta.json'] });
  const meta = readMeta(readFileSync(path.join(cwd, 'docs/features/002-sort/.meta.json'), 'utf8'));
  expect(meta).toMatchObject({
    problems: [],
    meta: { id: '002', status: 'active', mode: 'standard', branch: 'feature/002-sort' },
  });
});

test('feature status names phases that were not approved, and calls phases plan and tasks', async () => {
  const cwd = project();
  await runCommandLine('feature', 'new', 'Search', '--cwd', cwd);
  const file = path.join(cwd, 'docs/features/001-search/.meta.json');
  const meta = {
    status: 'active',
    lastCompletedPhase: 'create-plan',
    phases: {
      specify: { started: 'a', completed: 'b', iterations: 1 },
      design: { started: 'a', completed: 'b', iterations: 5, outcome: 'carried-forward' },
      'create-plan': { started: 'a', completed: 'b', iterations: 2 },
      implement: { started: 'a', outcome: 'rejected' },
    },
  };
  writeFileSync(file, JSON.stringify(meta));
  const one = (await runCommandLine('feature', 'status', '--feature', '001', '--cwd', cwd)).out;
  expect(one).toMatch(/^ {2}specify +completed, 1 iterations$/m);
  expect(one).toMatch(/^ {2}design +not approved, issues carried forward, 5 iterations$/m);
  expect(one).toMatch(/^ {2}plan +completed, 2 iterations$/m);
  expect(one).toMatch(/^ {2}implement +rejected$/m);
  expect(one).not.toContain('create-');
  const all = (await runCommandLine('feature', 'status', '--cwd', cwd)).out;
  expect(all).toContain('plan → tasks; design: not approved, issues carried forward; implement: rejected');
  const json = await runCommandLine('feature', 'status', '--feature', '001', '--json', '--cwd', cwd);
  expect(parseJson(json.out, 'stdout')).toMatchObject({
    lastCompletedPhase: 'plan',
    phases: expect.arrayContaining([
      { phase: 'design', state: 'carried-forward', iterations: 5 },
      { phase: 'implement', state: 'rejected' },
    ]),
  });
});

test('new ids continue after the highest and grow beyond three digits', () => {
  expect([nextId([]), nextId(['007-a', 'notes', '030-b']), nextId(['999-z'])]).toEqual([
    '001',
    '031',
    '1000',
  ]);
});

test('several at once get different ids', async () => {
  const cwd = project();
  const made = await Promise.all(
    ['c', 'a', 'a', 'b'].map((name) => runCommandLine('feature', 'new', name, '--cwd', cwd, '--json')),
  );
  const ids = made.map(({ out }) => (parseJson(out, 'stdout') as { id: string }).id);
  expect(new Set(ids).size).toBe(4);
});

test('T-013, T-014: a PRD is copied and its source kept', async () => {
  const cwd = project();
  writeFileSync(path.join(cwd, 'idea.md'), '# Idea\n');
  await runCommandLine('feature', 'new', 'Search', '--prd', 'idea.md', '--cwd', cwd);
  const directory = path.join(cwd, 'docs/features/001-search');
  expect(readFileSync(path.join(directory, 'prd.md'), 'utf8')).toBe('# Idea\n');
  expect(readMeta(readFileSync(path.join(directory, '.meta.json'), 'utf8')).meta.brainstormSource).toBe(
    'idea.md',
  );
});

test('--dry-run makes nothing', async () => {
  const cwd = project();
  const { out } = await runCommandLine('feature', 'new', 'Search', '--dry-run', '--cwd', cwd);
  expect(out).toBe(`would make ${cwd}/docs/features/001-search\n`);
  expect((await runCommandLine('feature', 'status', '--cwd', cwd)).exit).toBe(4);
});

test.each([
  [['new', '!!!'], 2, 'no Latin letter or digit'],
  [['new'], 2, 'missing required argument'],
  [['new', 'x', '--mode', 'heavy'], 2, 'standard, full, light'],
  [['new', 'x', '--prd', 'gone.md'], 4, 'gone.md'],
  [['status', '--feature', '9'], 4, 'no feature'],
  [[], 2, 'new, specify'],
])('bad input %j: exit %i', async (words, exit, message) => {
  const result = await runCommandLine('feature', ...words, '--cwd', project());
  expect([result.exit, result.out]).toEqual([exit, '']);
  expect(result.err).toContain(message);
});

test('status of one feature and of all', async () => {
  const { root } = featureDirectory({
    meta: '{"status":"active","lastCompletedPhase":"specify","phases":{"specify":{"completed":"t","iterations":4}}}',
  });
  const one = await runCommandLine('feature', 'status', '--feature', '007', '--cwd', root);
  expect(one.out).toContain('  specify       completed, 4 iterations\n');
  expect(one.out).toContain('  design.md     level 1 of 4: design.md has');
  expect(one.out).toContain('Next: design (blocked: spec.md has');
  const all = await runCommandLine('feature', 'status', '--cwd', root);
  expect(all.out).toBe('007-search  active     specify → design\n');
});

/** Plans a phase with --dry-run; starting its agent program would fail. */
async function phase(directory: string, ...words: string[]) {
  const root = path.resolve(directory, '../../..');
  const agents = { mine: { protocol: 'exec', command: ['false'], family: 'mine' } };
  writeFileSync(path.join(root, 'charrette.config.json'), JSON.stringify({ detect: false, agents }));
  return runCommandLine('feature', ...words, '--feature', directory, '--cwd', root, '--dry-run');
}

test.each<[string, (directory: string) => void, string[], number, string]>([
  [
    'a state that is broken',
    (at) => writeFileSync(path.join(at, '.meta.json'), '{"id":'),
    ['specify'],
    2,
    'not valid JSON',
  ],
  [
    'a state that is a list',
    (at) => writeFileSync(path.join(at, '.meta.json'), '[]'),
    ['specify'],
    2,
    'does not hold',
  ],
  [
    'an empty artifact',
    (at) => writeFileSync(path.join(at, 'spec.md'), ''),
    ['design'],
    4,
    'spec.md is empty',
  ],
  [
    'a huge artifact',
    (at) => writeFileSync(path.join(at, 'spec.md'), 'x'.repeat(9 * 1024 * 1024)),
    ['design'],
    4,
    'too large',
  ],
  [
    'an artifact that is a link out of the feature',
    (at) => {
      rmSync(path.join(at, 'spec.md'));
      symlinkSync('/etc/hostname', path.join(at, 'spec.md'));
    },
    ['design'],
    4,
    'spec.md is a link out of the feature',
  ],
  [
    'tasks that are none',
    (at) => writeFileSync(path.join(at, 'tasks.md'), `## Notes\n${'x'.repeat(200)}\n`),
    ['implement'],
    4,
    'tasks.md has no',
  ],
  [
    'waivers that are broken',
    (at) => writeFileSync(path.join(at, '.waivers.json'), '{'),
    ['specify', '--yes'],
    2,
    '.waivers.json',
  ],
])('bad input, lean/C-26: reports %s before anything starts', async (_name, damage, words, exit, message) => {
  const { directory } = featureDirectory();
  const before = readFileSync(path.join(directory, 'design.md'), 'utf8');
  damage(directory);
  const result = await phase(directory, ...words);
  expect([result.exit, result.err]).toEqual([exit, expect.stringContaining(message)]);
  expect(existsSync(path.resolve(directory, '../../../.charrette/runs'))).toBe(false);
  expect(readFileSync(path.join(directory, 'design.md'), 'utf8')).toBe(before);
});

test('bad input: a state that is absent or from another machine stops nothing', async () => {
  const { directory } = featureDirectory({ prd: undefined, meta: undefined });
  expect((await phase(directory, 'specify')).exit).toBe(0);
  writeFileSync(
    path.join(directory, '.meta.json'),
    '{"id": 7, "mode": "Full", "phases": null, "brainstorm_source": "/Users/bob/idea.prd.md"}',
  );
  expect(await phase(directory, 'specify')).toMatchObject({
    exit: 0,
    out: 'mine would write, mine would review\n',
  });
});

test('finish writes a retrospective, keeps the records and says what is not ticked', async () => {
  const { root, directory } = featureDirectory({
    tasks: '# Tasks\n\n### Task 1: One\n- [ ] open\n- [x] done\n',
  });
  writeFileSync(path.join(directory, '.review-history.md'), '## Iteration 1 - t\n');
  const words = ['feature', 'finish', '--feature', directory, '--cwd', root, '--no-checks'];
  expect((await runCommandLine(...words)).exit).toBe(2);
  const { exit, err, out } = await runCommandLine(...words, '--yes');
  expect([exit, err]).toEqual([0, expect.stringContaining('1 boxes of tasks.md are not ticked')]);
  expect(out).toContain(path.join(root, '.charrette/features/007-search/.review-history.md'));
  expect(existsSync(path.join(directory, '.review-history.md'))).toBe(false);
  const state = readMeta(readFileSync(path.join(directory, '.meta.json'), 'utf8')).meta;
  expect(state).toMatchObject({ status: 'completed', lastCompletedPhase: 'finish' });
  expect(state.skippedPhases.map((skipped) => skipped.phase)).toContain('implement');
  expect(await runCommandLine(...words, '--yes')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('finish cannot start: the feature is completed.'),
  });
});

test('§2B: tests that fail keep a feature from being finished, and nothing is changed', async () => {
  const { root, directory } = featureDirectory();
  writeFileSync(path.join(root, 'package.json'), '{"scripts":{"test":"exit 3"}}');
  const state = readFileSync(path.join(directory, '.meta.json'), 'utf8');
  const { exit, err } = await runCommandLine(
    'feature',
    'finish',
    '--feature',
    directory,
    '--cwd',
    root,
    '--yes',
  );
  expect([exit, err]).toEqual([6, expect.stringContaining('failed 3 times; the feature is not finished')]);
  expect(readFileSync(path.join(directory, '.meta.json'), 'utf8')).toBe(state);
  expect(existsSync(path.join(directory, 'retro.md'))).toBe(false);
});

test('T-001: commands in a subfolder work on the features of the project; --root is relative to where one is', async () => {
  const { root } = featureDirectory();
  const below = path.join(root, 'packages/web');
  mkdirSync(below, { recursive: true });
  const listed = await runCommandLine('feature', 'status', '--cwd', below);
  expect(listed.out).toContain('007-search');
  const made = await runCommandLine('feature', 'new', 'Sort', '--cwd', below);
  expect(made.out).toBe(`made ${root}/docs/features/008-sort\n`);
  const own = await runCommandLine('feature', 'new', 'Sort', '--root', 'docs', '--cwd', below);
  expect(own.out).toBe(`made ${below}/docs/features/001-sort\n`);
});

test('T-012: finish changes nothing in a folder that is not a feature, and --feature "" names none', async () => {
  const { root } = featureDirectory();
  mkdirSync(path.join(root, 'src'));
  for (const [named, exit] of [
    ['', 2],
    ['.', 4],
    ['src', 4],
  ] as const) {
    const result = await runCommandLine('feature', 'finish', '--feature', named, '--yes', '--cwd', root);
    expect([named, result.exit]).toEqual([named, exit]);
  }
  expect(readdirSync(path.join(root, 'src'))).toEqual([]);
  expect(existsSync(path.join(root, 'retro.md'))).toBe(false);
});

test('P-020, P-021, P-022: specs are chosen by the topic of the feature, and broken ones are reported', async () => {
  const { directory, root } = featureDirectory({
    spec: `# Spec\n\n## Acceptance Criteria\n- payments ${'x '.repeat(60)}`,
  });
  const spec = (keyword: string) =>
    `---\nkeywords: [${keyword}]\ncategory: planning\n---\nAbout ${keyword}.\n`;
  for (const [name, text] of Object.entries({
    'a.md': spec('payments'),
    'b.md': spec('search'),
    'c.md': spec(path.basename(root)),
    'd.md': '---\nreadMode: [required\n---\nbody',
  })) {
    mkdirSync(path.join(root, '.ccw/specs'), { recursive: true });
    writeFileSync(path.join(root, '.ccw/specs', name), text);
  }
  const { exit, out, err } = await phase(directory, 'specify', '--json');
  expect(exit, err).toBe(0);
  const { brief } = (parseJson(out, 'stdout') as { inputs: { brief: string } }).inputs;
  expect([...brief.matchAll(/About (\w+)/g)].map(([, word]) => word)).toEqual(['payments', 'search']);
  expect(err).toContain('warning: .ccw/specs/d.md');
});

test('T-012 a state that cannot be read, as after a merge, is named where no feature is active', async () => {
  const cwd = project();
  await runCommandLine('feature', 'new', 'Search', '--cwd', cwd);
  const file = path.join(cwd, 'docs/features/001-search/.meta.json');
  writeFileSync(file, `<<<<<<< HEAD\n${readFileSync(file, 'utf8')}=======\n>>>>>>> other\n`);
  // A folder that is not a feature sorts first and must not be reported as the cause.
  mkdirSync(path.join(cwd, 'docs/features/templates'));
  const status = await runCommandLine('feature', 'status', '--cwd', cwd);
  expect(status.out).toContain('001-search  unknown    – → specify; .meta.json is not valid JSON');
  const finish = await runCommandLine('feature', 'finish', '--cwd', cwd);
  expect(finish.err).toContain('is active; of 001-search, .meta.json is not valid JSON');
  expect(finish.exit).toBe(4);
});
