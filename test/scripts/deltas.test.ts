import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readRevisions } from '../../bench/deltas/history.ts';
import { judgeRevision } from '../../bench/deltas/judge.ts';

const git = (cwd: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...words], { cwd });

const prose = (word: string) =>
  Array.from({ length: 200 }, (_, line) => `Line ${line} says ${word} and means it.`).join('\n');

/** A repository whose documents are revised in every way that the measurement tells apart. */
function revisedRepository(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'deltas-'));
  git(root, 'init', '--quiet', '--initial-branch=main');
  const commit = (subject: string, files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '--message', subject);
  };
  const folder = 'docs/features/001-search';
  const spec = `# Spec\n\n${prose('spec')}\n`;
  const tasks = `# Tasks\n\n${prose('tasks')}\n- [ ] one\n`;
  commit('Begin', {
    [`${folder}/spec.md`]: spec,
    [`${folder}/tasks.md`]: tasks,
    [`${folder}/design.md`]: 'stub\n',
    'docs/features/templates/plan.md': spec,
    'commands/design.md': spec,
    'specs/kept/spec.md': spec,
  });
  commit('specify review iteration 2', { [`${folder}/spec.md`]: spec.replace('Line 7 says', 'Line 7 said') });
  commit('design handoff review iteration 3', { [`${folder}/spec.md`]: `# Spec\n\n${prose('else')}\n` });
  commit('Tick', { [`${folder}/tasks.md`]: tasks.replace('[ ]', '[x]') });
  commit('Fill', { [`${folder}/design.md`]: spec });
  commit('Change a file outside features', {
    'commands/design.md': tasks,
    'docs/features/templates/plan.md': tasks,
    'specs/kept/spec.md': tasks,
  });
  return root;
}

test('T-097, lean/C-01, lean/C-02: revisions of a history are judged by the rule of the reviews', async () => {
  const revisions = readRevisions(revisedRepository());
  const count = (text: string) => Math.ceil(text.length / 4);
  const judged = await Promise.all(
    revisions.map(async (revision) => ({
      subject: revision.subject,
      ...(await judgeRevision(revision, { count, summaryCharacters: 300 })),
    })),
  );
  expect(judged).toEqual([
    expect.objectContaining({ role: 'spec-reviewer', review: true, lone: false, trips: false }),
    expect.objectContaining({ role: 'phase-reviewer', review: true, lone: false, trips: true }),
    { subject: 'Tick', kind: 'ticks' },
    { subject: 'Fill', kind: 'stub' },
    expect.objectContaining({ subject: 'Change a file outside features', lone: true }),
  ]);
  expect(revisions[1]).toMatchObject({ nearby: { tasks: expect.stringContaining('# Tasks') } });
});
