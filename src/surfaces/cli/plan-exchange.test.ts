import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';

const planText = `# Plan: Limit requests

Limit how often a client may call.

## Files to modify/create

- new \`src/limit.ts\`: The counter.
- modify \`src/server.ts\`: Ask the counter first.

## Approach

A counter per client.

## Edge cases

- A client without an address

## Testing strategy

Unit tests.

## Tests

- \`test/limit.test.ts\`: The third call within a second is refused
`;

function project(): {
  root: string;
  at: (name: string) => string;
  run: (...words: string[]) => ReturnType<typeof runCommandLine>;
} {
  const repository = temporaryRepository();
  onTestFinished(repository.remove);
  repository.write('src/server.ts', 'export const server = 1;\n');
  repository.write('PLAN.md', planText);
  repository.commit('begin');
  const { root } = repository;
  return {
    root,
    at: (name) => path.join(root, name),
    run: (...words) => runCommandLine(...words, '--cwd', root),
  };
}

/** Everything below a folder, by path. */
function tree(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    names
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]),
  );
}

test.each([
  ['spec-kit', 'specs/001-limit-requests', ['plan.md', 'spec.md', 'tasks.md']],
  [
    'openspec',
    'openspec/changes/limit-requests',
    ['.openspec.yaml', 'design.md', 'proposal.md', 'specs/limit-requests/spec.md', 'tasks.md'],
  ],
])(
  'a plan goes to the folder of %s, comes back, and goes again byte for byte',
  async (format, folder, names) => {
    const { at, run } = project();
    expect(await run('plan', 'export', 'PLAN.md', '--format', format)).toMatchObject({ exit: 0, err: '' });
    const first = tree(at(folder));
    expect(Object.keys(first)).toEqual(names);
    const imported = await run('plan', 'import', folder, '--out', 'plans/back', '--json');
    expect(imported.exit).toBe(0);
    expect(JSON.parse(imported.out)).toMatchObject({ format, tasks: ['TASK-001', 'TASK-002'], errors: [] });
    expect(JSON.parse(readFileSync(at('plans/back/.task/TASK-002.json'), 'utf8'))).toMatchObject({
      depends_on: ['TASK-001'],
      files: [{ path: 'test/limit.test.ts' }],
    });
    expect((await run('plan', 'check', 'plans/back')).out).toContain('wave 2: TASK-002');
    const plan = JSON.parse(readFileSync(at('plans/back/plan.json'), 'utf8'));
    expect(plan).toMatchObject({ title: 'Limit requests', edge_cases: ['A client without an address'] });
    const again = await run('plan', 'export', 'plans/back', '--format', format, '--out', 'second');
    expect(again.exit).toBe(0);
    const stamps = (text: string) => text.replace(/\d{4}-\d{2}-\d{2}/g, 'DAY');
    const second = tree(at(path.join('second', folder)));
    for (const name of names) expect(stamps(second[name] ?? '')).toBe(stamps(first[name] ?? ''));
  },
);

test('only --force overwrites different content; --dry-run writes nothing', async () => {
  const { at, run } = project();
  const dry = await run('plan', 'export', 'PLAN.md', '--format', 'spec-kit', '--dry-run');
  expect(dry.out).toContain('would write specs/001-limit-requests/tasks.md');
  expect(existsSync(at('specs'))).toBe(false);
  await run('plan', 'export', 'PLAN.md', '--format', 'spec-kit');
  const tasks = at('specs/001-limit-requests/tasks.md');
  writeFileSync(tasks, 'mine\n');
  const refused = await run('plan', 'export', 'PLAN.md', '--format', 'spec-kit', '--json');
  expect(refused.exit).toBe(5);
  expect(JSON.parse(refused.out)).toMatchObject({
    error: { code: 'would-overwrite', message: expect.stringContaining('tasks.md') },
  });
  expect(readFileSync(tasks, 'utf8')).toBe('mine\n');
  expect((await run('plan', 'export', 'PLAN.md', '--format', 'spec-kit', '--force')).exit).toBe(0);
  expect(readFileSync(tasks, 'utf8')).toContain('- [ ] T001');
  expect((await run('plan', 'export', 'PLAN.md', '--format', 'spec-kit')).exit).toBe(0);
  expect((await run('plan', 'export', 'PLAN.md', '--format', 'spec-kit', '--name', 'other')).out).toContain(
    'specs/002-other/',
  );
  await run('plan', 'import', 'specs/001-limit-requests');
  writeFileSync(at('plans/limit-requests/plan.json'), '{}');
  expect((await run('plan', 'import', 'specs/001-limit-requests')).exit).toBe(5);
  expect(readFileSync(at('plans/limit-requests/plan.json'), 'utf8')).toBe('{}');
});

test('a plan that is replaced leaves no task of the earlier one behind, which would make it invalid', async () => {
  const { at, run } = project();
  const older = ['Count', 'Refuse'].map((title, index) => ({
    id: `TASK-00${index + 1}`,
    title,
    description: title,
    convergence: { criteria: [`${title} is exported`] },
  }));
  const write = (tasks: object[]) =>
    writeFileSync(at('older.json'), JSON.stringify({ summary: 's', approach: 'a', tasks }));
  const out = 'plans/with space';
  write(older);
  expect((await run('plan', 'import', 'older.json', '--out', out)).exit).toBe(0);
  write(older.slice(0, 1));
  const refused = await run('plan', 'import', 'older.json', '--out', out);
  expect(refused).toMatchObject({ exit: 5, err: expect.stringContaining('.task/TASK-002.json') });
  expect((await run('plan', 'import', 'older.json', '--out', out, '--force', '--dry-run')).exit).toBe(0);
  expect(readdirSync(at(`${out}/.task`))).toEqual(['TASK-001.json', 'TASK-002.json']);
  const replaced = await run('plan', 'import', 'older.json', '--out', out, '--force');
  expect(replaced).toMatchObject({
    exit: 0,
    out: expect.stringContaining(`build --plan '${out}/plan.json'`),
  });
  expect(readdirSync(at(`${out}/.task`))).toEqual(['TASK-001.json']);
  expect((await run('plan', 'check', out)).exit).toBe(0);
});

test('an issue body goes to stdout; wrong names, formats, places and ways out are refused', async () => {
  const { root, at, run } = project();
  const issue = await run('plan', 'export', 'PLAN.md', '--format', 'issue');
  expect(issue.out).toMatch(/^Limit how often[\s\S]*- \[ \] \*\*T002\*\* .*after T001/);
  expect((await run('plan', 'export', 'PLAN.md')).exit).toBe(2);
  expect((await run('plan', 'export', 'PLAN.md', '--format', 'jira')).exit).toBe(2);
  expect((await run('plan', 'export', 'PLAN.md', '--format', 'openspec', '--name', '../out')).exit).toBe(2);
  expect((await run('plan', 'import', 'nowhere')).exit).toBe(4);
  const src = await run('plan', 'import', 'src');
  expect([src.exit, src.err]).toEqual([4, expect.stringContaining('holds no plan of a known tool')]);
  mkdirSync(at('elsewhere'));
  symlinkSync(at('elsewhere'), path.join(root, 'openspec'));
  symlinkSync('/', path.join(root, 'specs'));
  expect((await run('plan', 'export', 'PLAN.md', '--format', 'spec-kit')).exit).toBe(5);
});

test('P-103 a plan with its tasks inside is imported; one that cannot run yet exits 6 and says why', async () => {
  const { at, run } = project();
  const tasks = [
    {
      id: 'T1',
      title: 'Add it',
      implementation: ['a', 'b'],
      acceptance: ['works correctly'],
      depends_on: ['T2'],
    },
    { id: 'T2', title: 'Use it', implementation: ['a', 'b'], depends_on: ['T1'] },
  ];
  writeFileSync(at('old.json'), JSON.stringify({ summary: 'Limits', approach: 'So.', tasks }));
  const { exit, out } = await run('plan', 'import', 'old.json');
  expect(exit).toBe(6);
  expect(out).toContain('error: the tasks go in a circle: TASK-001 → TASK-002 → TASK-001');
  expect(out).toContain('error: TASK-001: "works correctly" cannot be checked');
  expect(existsSync(at('plans/old/.task/TASK-002.json'))).toBe(true);
});
