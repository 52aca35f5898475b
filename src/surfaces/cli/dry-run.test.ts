import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { writeRun, writtenRunId } from '../../../test/support/web-run.ts';
import { type TemporaryRepository, temporaryRepository } from '../../../test/temporary-repository.ts';
import { thisProcess } from '../../engine/lock.ts';
import { commands } from '../../main/commands.ts';
import type { CommandSpec, LazyCommand } from '../../service/command.ts';

type Entry = { words: string[]; spec: CommandSpec };

/** Every command and subcommand that does something, with a word for each argument it needs. */
async function everyCommand(
  table: Readonly<Record<string, LazyCommand>> = commands,
  before: readonly string[] = [],
): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const [name, { load }] of Object.entries(table)) {
    const spec = await load();
    const path = [...before, name];
    const needed = (spec.arguments ?? []).filter(([notation]) => notation.startsWith('<'));
    if (spec.run !== undefined) found.push({ words: [...path, ...needed.map(() => 'x')], spec });
    if (spec.subcommands !== undefined) found.push(...(await everyCommand(spec.subcommands, path)));
  }
  return found;
}

test('every command keeps the promise of --dry-run or refuses the flag; `resume --dry-run` once called eight agents', async () => {
  const all = await everyCommand();
  expect(all.length).toBeGreaterThan(55);
  const silent = all.filter(({ spec }) => spec.dryRun === undefined);
  expect(silent.map(({ words }) => words.join(' ')).sort()).toEqual([
    'acp',
    'hook x',
    'isolated-phase x',
    'mcp',
    'run-worker x',
    'serve',
    'worker',
  ]);
  for (const { words } of silent) {
    const { exit, out } = await runCommandLine('--dry-run', '--json', ...words);
    expect([words, exit]).toEqual([words, 2]);
    const { error } = JSON.parse(out);
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('--dry-run') });
    expect(error.fix).toContain('Omit --dry-run');
    const help = await runCommandLine(words[0] ?? '', '--help');
    expect(help.out).not.toContain('--dry-run');
  }
});

let repository: TemporaryRepository;
let archive: string;
const asking = '20260101-000001-asking-00000002';
const live = '20260101-000002-live-00000003';
const travelled = '20260101-000003-travelled-00000004';

const plan = `## Files to modify/create
- \`src/a.ts\` (modify): add a limit

## Approach
A counter.

## Edge cases
None.

## Testing strategy
Run the tests.

## Failure modes
None.
`;

beforeAll(async () => {
  repository = temporaryRepository();
  repository.write('src/a.ts', 'export const a = 1;\n');
  repository.commit('first');
  const written = writeRun({ status: 'stopped', inputs: { roster: [] } }, repository.root);
  written.artifact('plan.txt', plan);
  const paused = writeRun({ run: asking, status: 'paused', inputs: { roster: [] } }, repository.root);
  const questions = [{ id: 'scope', text: 'Which?', options: [{ value: 'api', label: 'API' }] }];
  writeFileSync(
    path.join(paused.directory.root, 'questions.json'),
    JSON.stringify({ schemaVersion: 1, questions, answers: [] }),
  );
  writeRun({ run: live, status: 'running', process: thisProcess() }, repository.root);
  writeRun({ run: travelled }, repository.root);
  archive = path.join(repository.root, 'run.tar.gz');
  const exported = await runCommandLine('runs', 'export', travelled, archive, '--cwd', repository.root);
  expect(exported.exit, exported.err).toBe(0);
  rmSync(path.join(repository.root, '.charrette', 'runs', travelled), { recursive: true });
});
afterAll(() => repository.remove());

/** Every file below the folder, with a digest of what is in it. */
function stateOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    names
      .map(({ parentPath, name }) => path.join(parentPath, name))
      .sort()
      .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  );
}

test.each([
  [['cancel', writtenRunId], `Would cancel ${writtenRunId} (stopped).`],
  [['cancel', live], `Would cancel ${live} (running in process ${process.pid}).`],
  [['resume', writtenRunId], `Would resume ${writtenRunId} (design, stopped).`],
  [['skill', 'run', '--resume', writtenRunId], `Would resume ${writtenRunId} (design, stopped).`],
  [['answer', asking, 'scope=api'], `Would leave 1 answer(s) and resume ${asking}.`],
  [['answer', asking, 'scope=api', '--no-resume'], 'Would leave 1 answer(s).'],
  [['report', writtenRunId, '--out', 'report.md'], 'Would write '],
  [['plan', 'edit', writtenRunId, '--comment', 'smaller'], 'Would have the author work in the comment'],
  [['runs', 'import', 'run.tar.gz'], `Would import ${travelled} (done).`],
  [['runs', 'export', writtenRunId], 'Would write '],
  [['runs', 'rm', writtenRunId], 'Would remove 1'],
  [['skill', 'convert', 'First collect, then report', '--agents', 'none-such'], 'Would have none-such draft'],
  [['skill', 'install', 'lite-plan'], '(dry run)'],
  [['init', '--design'], 'would be created'],
  [['feature', 'new', 'search'], 'would make'],
])('%j says what it would do and leaves every file as it was', async (words, says) => {
  const before = stateOf(repository.root);
  const { exit, out, err } = await runCommandLine(...words, '--dry-run', '--cwd', repository.root);
  expect(exit, err).toBe(0);
  expect(out).toContain(says);
  expect(stateOf(repository.root)).toEqual(before);
  expect(existsSync(path.join(repository.root, '.charrette', 'inbox'))).toBe(false);
});

test('what cannot be done is refused in a rehearsal too', async () => {
  const ended = writeRun({ run: '20260101-000004-ended-00000005' }, repository.root).directory.id;
  const { exit, err } = await runCommandLine('cancel', ended, '--dry-run', '--cwd', repository.root);
  expect(exit).toBe(2);
  expect(err).toContain('has ended: done');
});
