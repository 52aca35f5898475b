import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FeatureContent, featureDirectory } from '../../test/support/feature-directory.ts';
import { readFeature } from './feature-files.ts';
import { compose, seededNonce } from './part.ts';
import { indexed, parseTasks, scopeTask } from './sections/tasks.ts';
import { compileTaskPrompt, readProject, renderProjectContext, type TaskPromptInput } from './task-prompt.ts';

async function compiled(content: FeatureContent = {}, more: Partial<TaskPromptInput> = {}) {
  const { directory } = featureDirectory(content);
  const { files, prd } = await readFeature(directory);
  const text = (key: 'tasks' | 'plan' | 'design') =>
    files[key].kind === 'present' ? (files[key].text ?? '') : '';
  const [task] = parseTasks(text('tasks'));
  if (task === undefined) throw new Error('no task');
  const scope = scopeTask(task, indexed(text('plan')), indexed(text('design')));
  const result = compileTaskPrompt({ task, scope, files, prd, ...more });
  return { ...result, directory, ...compose(result.draft, { nonce: seededNonce('x') }) };
}

test('T-010, T-051…T-054, lean/C-17: fixed parts first, then scoped context, then the task', async () => {
  const { text, directory, description, expected } = await compiled({}, { workFiles: ['src/cache.ts'] });
  const order = [
    '## Required Artifacts',
    '## Answer',
    '## Design Context (scoped)',
    '## Plan Context (scoped)',
    '## Task',
    '## Done When',
    '## Files to Work On',
  ];
  const places = order.map((heading) => text.indexOf(`${heading}\n`));
  expect(places).toEqual([...places].sort((left, right) => left - right));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(text).toContain(`- PRD: ${directory}/prd.md\n- Spec: ${directory}/spec.md\n\n`);
  expect(text).toContain('### C1: Cache\nkeeps things');
  expect(text).toContain('### 1.1 Cache\nwrite it');
  expect(text).toContain('## Done When\nit caches');
  expect(description).toBe('Implement task 1.1: Cache');
  expect(expected).toEqual(['prd', 'spec']);
});

test('lean/C-15, lean/C-16: without a section the file is read whole, or copied when parity is asked for', async () => {
  const content = { tasks: '### Task 1: X\n- **Why:** Plan 9.9\n' };
  const lazy = await compiled(content);
  expect(lazy.text).toContain(`You MUST read plan.md in full and confirm it too: ${lazy.directory}/plan.md`);
  expect(lazy.text).not.toContain('write it');
  expect(lazy.expected).toEqual(['prd', 'spec', 'design', 'plan']);
  expect(lazy.warnings.join()).toContain('plan has no section 9.9');
  const parity = await compiled(content, { fallback: 'inline' });
  expect(parity.text).toContain('Complete plan.md');
  expect(parity.expected).toEqual(['prd', 'spec']);
});

test('T-058: done criteria may be a list below their field', async () => {
  const tasks = '### Task 1: X\n**Done when:**\n- a\n- b\n\n**Why:** Plan 1.1\n';
  expect((await compiled({ tasks })).text).toContain('## Done When\n- a\n- b\n');
});

test('T-066…T-068: project context only for features of a project, each missing piece only its own line', async () => {
  const { root, directory } = featureDirectory({
    meta: '{"project_id": "P001", "depends_on_features": ["001-a", "002-b", "../../etc"]}',
  });
  const { meta } = await readFeature(directory);
  expect(renderProjectContext((await readProject(directory, meta.meta)) ?? { feature: '', goals: [] })).toBe(
    '**This feature:** 007-search\n**Feature dependencies:** completed: none | in-progress: none | blocked: 001-a, 002-b, etc',
  );
  const project = path.join(root, 'docs/projects/P001-shop');
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, 'prd.md'), '# P\n## Goals\n- sell\n- ship\n');
  writeFileSync(path.join(project, 'roadmap.md'), '# Roadmap\n- 1. 007-search: now\n');
  mkdirSync(path.join(root, 'docs/features/001-a'));
  writeFileSync(path.join(root, 'docs/features/001-a/.meta.json'), '{"status":"completed"}');
  expect(renderProjectContext((await readProject(directory, meta.meta)) ?? { feature: '', goals: [] })).toBe(
    [
      '**Project:** P001-shop | **This feature:** 007-search',
      '**Project goals:** sell; ship',
      '**Feature dependencies:** completed: 001-a | in-progress: none | blocked: 002-b, etc',
      '**Priority signal:** 1. 007-search: now',
    ].join('\n'),
  );
  const alone = featureDirectory();
  expect(await readProject(alone.directory, (await readFeature(alone.directory)).meta.meta)).toBeUndefined();
});

test('T-066: above its budget the context counts dependencies and trims goals', () => {
  const names = Array.from({ length: 200 }, (_, index) => `${index}-feature-with-a-long-name`);
  const facts = {
    feature: '007',
    goals: ['sell'],
    dependencies: { completed: names, inProgress: [], blocked: [] },
  };
  expect(renderProjectContext(facts)).toContain('completed: 200 | in-progress: 0');
  const wordy = renderProjectContext({ ...facts, goals: Array.from({ length: 9 }, () => 'x'.repeat(900)) });
  expect(wordy.length).toBeLessThanOrEqual(2_000);
});
