import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { featureDirectory } from '../../test/support/feature-directory.ts';
import { compilePrompt } from './compile.ts';
import { knownParts, overrideWarnings } from './describe.ts';
import { readFeature } from './feature-files.ts';
import { compose, seededNonce } from './part.ts';
import { dispatches } from './roles/table.ts';

test.each([
  ['specify/spec-reveiwer/role', 'Did you mean `specify/spec-reviewer/role`?'],
  ['sketch/rol', 'Did you mean `sketch/role`?'],
  ['vote/role', 'Did you mean `vote/role-engineer` or `vote/role-reviewer`?'],
  ['vote/everything-else', 'vote has read-only, effort, role-engineer, role-reviewer, rules.'],
  ['readme', 'prompts/readme.md replaces no part of a prompt.'],
])('reports that a file named %s replaces nothing', (name, message) => {
  expect(overrideWarnings({ [name]: 'x', 'sketch/role': 'y' })).toEqual([expect.stringContaining(message)]);
});

test('every fixed part of every role can be replaced, and what is listed as such really is', async () => {
  const { directory } = featureDirectory();
  const feature = await readFeature(directory);
  for (const dispatch of dispatches.filter(({ command }) => command !== 'implementing')) {
    const { draft } = compilePrompt({
      dispatch,
      ...feature,
      transport: 'reference',
      iteration: { iteration: 1, max: 5 },
    });
    const own = draft.fixed
      .filter((part) => part.protected !== true)
      .map(({ name }) => `${draft.task}/${name}`);
    const listed = knownParts().filter(
      (name) => name.startsWith(`${draft.task}/`) && !name.includes('/retry/'),
    );
    expect(listed.sort(), draft.task).toEqual(own.sort());
    for (const name of listed) {
      const { text } = compose(draft, {
        nonce: seededNonce('n'),
        overrides: { [name]: 'Words of our own.' },
      });
      expect(text, name).toContain('Words of our own.');
    }
  }
});

test('every prompt of the other workflows is known by its task', () => {
  const root = path.resolve(import.meta.dirname, '..');
  const panel = readdirSync(path.join(root, 'prompts/panel')).map((name) => `prompts/panel/${name}`);
  const files = [...panel, 'workflows/build/rules/prompts.ts', 'workflows/refine/rules/prompts.ts'].filter(
    (name) => !name.endsWith('.test.ts'),
  );
  const tasks = files.flatMap((name) =>
    [...readFileSync(path.join(root, name), 'utf8').matchAll(/^\s+task: '([a-z-]+)'/gm)].map(
      ([, task]) => task,
    ),
  );
  expect(tasks.length).toBeGreaterThan(15);
  for (const task of tasks)
    expect(
      knownParts().some((name) => name.startsWith(`${task}/`)),
      task,
    ).toBe(true);
});
