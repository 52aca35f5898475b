import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from '../../../test/temporary-repository.ts';
import type { Question } from '../../engine/question.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { guardTree } from './check-tree.ts';

let repository: TemporaryRepository;
let folder: string;
let artifacts: Record<string, string>;
let asked: Question[];

beforeEach(() => {
  repository = temporaryRepository();
  repository.write('a.txt', 'one\n');
  repository.commit('first');
  folder = mkdtempSync(path.join(os.tmpdir(), 'charrette-tree-'));
  artifacts = {};
  asked = [];
});
afterEach(() => {
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Looks at the tree with a person who always wants it restored. */
function guard(round = 1): Promise<void> {
  const context = {
    live: { directory: { executionIssues: path.join(folder, 'execution-issues.md') } },
    step: (_name: string, body: () => Promise<unknown>) => body(),
    artifact: async (name: string, content: string) => {
      artifacts[name] = content;
    },
    ask: async (questions: readonly Question[]) => {
      asked.push(...questions);
      return new Map(questions.map(({ id }) => [id, { question: id, value: 'restore', source: 'user' }]));
    },
  };
  const desk = { context: context as unknown as WorkflowContext, warn() {} };
  const entry = { untracked: [], changed: [] };
  return guardTree(desk, repository.root, entry, 'plan-review-collection', ['lane'], round);
}

test('L-421: a tree as it was leaves nothing behind and asks nobody', async () => {
  await guard();
  expect([artifacts, asked]).toEqual([{}, []]);
});

test('L-421, L-424: what is too long for a question stands whole in files', async () => {
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

test('L-425, panel/C-10: every collection has a question of its own', async () => {
  for (const round of [1, 2]) {
    repository.write('stray.txt', 'x');
    await guard(round);
  }
  expect(asked.map(({ id }) => id)).toEqual([
    'dirty-tree-plan-review-collection',
    'dirty-tree-plan-review-collection-2',
  ]);
});
