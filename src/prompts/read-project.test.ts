import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../test/support/design-project.ts';
import { readFeature } from './feature-files.ts';
import { readProject } from './task-prompt.ts';

const state = '{"id": "001", "slug": "password", "status": "active", "project_id": "shop"}';

async function factsWith(plant: (projects: string, outside: string) => void) {
  const outside = projectWith({
    'prd.md': '# PRD\n\n## Goals\n- a secret\n',
    'roadmap.md': '001-password = a secret\n',
    'shop/prd.md': '# PRD\n\n## Goals\n- a secret\n',
  });
  const root = projectWith({ 'docs/features/001-password/.meta.json': state });
  mkdirSync(path.join(root, '.git'));
  const projects = path.join(root, 'docs', 'projects');
  mkdirSync(projects);
  plant(projects, outside);
  const directory = path.join(root, 'docs', 'features', '001-password');
  return readProject(directory, (await readFeature(directory)).meta.meta);
}

test('T-066, T-068: a project’s own goals and roadmap are read', async () => {
  const facts = await factsWith((projects) => {
    mkdirSync(path.join(projects, 'shop'));
    writeFileSync(path.join(projects, 'shop', 'prd.md'), '# PRD\n\n## Goals\n- sell tea\n');
    writeFileSync(path.join(projects, 'shop', 'roadmap.md'), '- 001-password: next\n');
  });
  expect(facts).toMatchObject({ goals: ['sell tea'], roadmap: { signal: '001-password: next' } });
});

test.each<[string, (projects: string, outside: string) => void]>([
  ['the folder of the project', (projects, outside) => symlinkSync(outside, path.join(projects, 'shop'))],
  [
    'each of its files',
    (projects, outside) => {
      mkdirSync(path.join(projects, 'shop'));
      for (const name of ['prd.md', 'roadmap.md'])
        symlinkSync(path.join(outside, name), path.join(projects, 'shop', name));
    },
  ],
])('a linked file from outside does not reach a prompt: %s', async (_name, plant) => {
  const facts = await factsWith(plant);
  expect(facts).toMatchObject({ project: 'shop', goals: [] });
  expect(JSON.stringify(facts)).not.toContain('secret');
});
