import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { defaultSettings, settingsFile } from './defaults.ts';
import { loadDesignContext } from './load.ts';
import { loadProjectSpecs } from './load-specs.ts';

const header = '## Design Context (from .moai/design/)';
const naming = (dir: string) => `design:\n  design_docs:\n    dir: ${JSON.stringify(dir)}\n`;

function link(root: string, name: string, target: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  symlinkSync(target, path.join(root, name));
}

test.each<[string, (root: string, outside: string) => string, string?]>([
  ['an absolute path', (_root, outside) => outside],
  ['a path that goes up', (root, outside) => path.relative(root, outside)],
  ['a path that goes up on its way', (root, outside) => `docs/../${path.relative(root, outside)}`],
  ['a link', () => 'docs', 'docs'],
  ['a folder behind a link', () => 'docs/deeper', 'docs'],
  ['the usual folder, which is a link', () => defaultSettings.dir, defaultSettings.dir],
])('A-21, A-64: what the settings name outside of the project is not read: %s', async (_, dirOf, linked) => {
  const outside = projectWith({ 'spec.md': 'secret', 'deeper/spec.md': 'secret' });
  const root = projectWith();
  const dir = dirOf(realpathSync(root), realpathSync(outside));
  mkdirSync(path.join(root, path.dirname(settingsFile)), { recursive: true });
  writeFileSync(path.join(root, settingsFile), naming(dir));
  if (linked !== undefined) link(root, linked, outside);
  const context = await loadDesignContext({ root });
  expect(context).toMatchObject({ outcome: 'folder-missing', text: `${header}\n`, files: [] });
  const real = realpathSync(path.resolve(root, dir));
  expect(context.log).toEqual([
    {
      level: 'warning',
      text: `design docs: ${dir} lies outside of the project (${real}) and is not read — --dir reads it on your word`,
    },
  ]);
  // The same on a person's word.
  expect((await loadDesignContext({ root, dir })).text).toContain('secret');
});

test('A-64: links inside of the project are followed, also where the project itself is reached by one', async () => {
  const root = projectWith({ 'notes/spec.md': 'ours', [settingsFile]: naming('docs') });
  link(root, 'docs', 'notes');
  const place = projectWith();
  link(place, 'project', root);
  for (const way of [root, path.join(place, 'project')])
    expect((await loadDesignContext({ root: way })).text).toContain('> source: docs/spec.md\nours\n');
});

test('A-21: the settings may name a folder of the project by its absolute path', async () => {
  const root = projectWith({ 'notes/spec.md': 'ours' });
  mkdirSync(path.join(root, path.dirname(settingsFile)), { recursive: true });
  writeFileSync(path.join(root, settingsFile), naming(path.join(root, 'notes')));
  expect((await loadDesignContext({ root })).text).toContain('> source: notes/spec.md\nours\n');
});

test('settings that are a link out of the project are not read, and said so', async () => {
  const outside = projectWith({ 'design.yaml': naming('docs') });
  const root = projectWith({ 'docs/spec.md': 'x', '.moai/design/spec.md': 'usual' });
  link(root, settingsFile, path.join(outside, 'design.yaml'));
  const { text, log } = await loadDesignContext({ root });
  expect(text).toContain('usual');
  expect(log).toContainEqual({
    level: 'warning',
    text: 'design.yaml cannot be read: it is a link out of the project',
  });
});

test.each(['.ccw/specs', '.ccw/personal', '.ccw'])(
  'P-022: specs that %s, a link, brings from outside of the project are not read; those of the home folder are',
  async (name) => {
    const required = '---\nreadMode: required\n---\n';
    const outside = projectWith({
      'a.md': `${required}secret`,
      'specs/a.md': `${required}secret`,
      'personal/a.md': `${required}secret`,
    });
    const home = projectWith();
    link(home, '.ccw/personal', projectWith({ 'mine.md': `${required}my own` }));
    const root = projectWith();
    link(root, name, outside);
    const { text, log } = await loadProjectSpecs({ root, home });
    expect(text).not.toContain('secret');
    expect(text).toContain('my own');
    expect(log.map(({ level, text: line }) => [level, line])).toEqual(
      (name === '.ccw' ? ['.ccw/specs', '.ccw/personal'] : [name]).map((cited) => [
        'warning',
        `${cited} lies outside of the project (${realpathSync(path.join(root, cited))}) and is not read`,
      ]),
    );
  },
);
