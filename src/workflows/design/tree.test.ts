import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from '../../../test/temporary-repository.ts';
import type { Question } from '../../engine/question.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { type FoundTree, findTree, guardTree } from './tree.ts';

let repository: TemporaryRepository;
let folder: string;
let artifacts: Record<string, string>;
let asked: Question[];
/** The tree in the record of the run; missing: it never left its clone. */
let recorded: FoundTree | undefined;

beforeEach(() => {
  repository = temporaryRepository();
  repository.write('a.txt', 'one\n');
  repository.commit('first');
  folder = mkdtempSync(path.join(os.tmpdir(), 'charrette-tree-'));
  artifacts = {};
  asked = [];
  recorded = undefined;
});
afterEach(() => {
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

function writeRecord(): void {
  const record = { schemaVersion: 1, run: 'run', workflow: 'design', codeVersion: '1', title: 'x' };
  const inputs = recorded === undefined ? {} : { entry: recorded };
  const rest = { inputs, status: 'running', created: '2026-01-01T00:00:00.000Z' };
  writeFileSync(path.join(folder, 'run.json'), JSON.stringify({ ...record, ...rest }));
}

/** Checks the tree for a user who always restores it. `meanwhile` runs before the answer. */
function guard(round = 1, meanwhile = () => {}): Promise<void> {
  writeRecord();
  const [executionIssues, record] = ['execution-issues.md', 'run.json'].map((name) =>
    path.join(folder, name),
  );
  const context = {
    live: { directory: { executionIssues, record } },
    step: (_name: string, body: () => Promise<unknown>) => body(),
    artifact: async (name: string, content: string) => {
      artifacts[name] = content;
    },
    ask: async (questions: readonly Question[]) => {
      asked.push(...questions);
      meanwhile();
      return new Map(questions.map(({ id }) => [id, { question: id, value: 'restore', source: 'user' }]));
    },
  };
  const desk = { context: context as unknown as WorkflowContext, warn() {} };
  const entry = { untracked: [], changed: [] };
  return guardTree(desk, repository.root, entry, 'plan-review-collection', ['lane'], round);
}

test('L-421: an unchanged tree leaves no file and asks nothing', async () => {
  await guard();
  expect([artifacts, asked]).toEqual([{}, []]);
});

test('L-421, L-424: files hold the paths that are too many for a question', async () => {
  const strays = Array.from({ length: 25 }, (_, index) => `stray ${String(index).padStart(2, '0')}.txt`);
  for (const file of strays) repository.write(file, 'x');
  repository.write('a.txt', 'changed\n');
  await guard();
  expect(artifacts['dirty-tree-tracked-paths.nul']).toBe('a.txt\0');
  expect(artifacts['dirty-tree-new-untracked-paths.nul']).toBe(strays.map((file) => `${file}\0`).join(''));
  const [question] = asked;
  expect(question?.detail?.split('\n')).toEqual([
    'a.txt',
    ...strays.slice(0, 19),
    '… and 6 more; all of them are in the artifacts dirty-tree-tracked-paths.nul and dirty-tree-new-untracked-paths.nul.',
  ]);
  expect(artifacts['dirty-tree-detected.env']).toBe(
    'STATUS=clean\nSTAGE=plan-review-collection\nRECOVERY_REQUIRED=false\n',
  );
  expect(readFileSync(path.join(repository.root, 'a.txt'), 'utf8')).toBe('one\n');
  expect(existsSync(path.join(repository.root, 'stray 24.txt'))).toBe(false);
});

test('L-425, panel/C-10: every collection asks its own question', async () => {
  for (const round of [1, 2]) {
    repository.write('stray.txt', 'x');
    await guard(round);
  }
  expect(asked.map(({ id }) => id)).toEqual([
    'dirty-tree-plan-review-collection',
    'dirty-tree-plan-review-collection-2',
  ]);
});

test('what was uncommitted in the clone that a run came to is not the work of its agents', async () => {
  repository.write('a.txt', 'of a person\n');
  repository.write('notes.txt', 'of a person\n');
  recorded = await findTree(repository.root);
  await guard();
  expect(asked).toEqual([]);
  repository.write('stray.txt', 'x');
  await guard();
  expect(asked.map(({ detail }) => detail)).toEqual(['stray.txt']);
  expect(readFileSync(path.join(repository.root, 'a.txt'), 'utf8')).toBe('of a person\n');
  expect(existsSync(path.join(repository.root, 'notes.txt'))).toBe(true);
});

test('a run that moved after it asked undoes nothing in the clone it came to', async () => {
  repository.write('a.txt', 'changed\n');
  repository.write('notes.txt', 'x');
  recorded = { untracked: [], changed: [] };
  await guard(1, () => {
    recorded = { untracked: ['notes.txt'], changed: ['a.txt'] };
    writeRecord();
  });
  expect(readFileSync(path.join(repository.root, 'a.txt'), 'utf8')).toBe('changed\n');
  expect(existsSync(path.join(repository.root, 'notes.txt'))).toBe(true);
});
