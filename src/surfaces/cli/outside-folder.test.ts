import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { runCommandLine } from '../../../test/support/run-command-line.ts';

const settings = (dir: string) => `design:\n  design_docs:\n    dir: ${JSON.stringify(dir)}\n`;
const agent = { protocol: 'exec', command: ['node', 'agent.mjs'], family: 'one' };

/** A clone whose settings name a folder outside it. */
function clone(dirOf: (outside: string) => string) {
  const outside = projectWith({
    'spec.md': 'secret',
    'copy.json': '{"sections": [{"primary": "secret"}]}',
    'tokens.json': '{"source": "claude-design-bundle", "secret": "secret"}',
    'brief/BRIEF-1.md': '# secret\n',
  });
  const root = projectWith({
    '.charrette/config.json': JSON.stringify({ detect: false, agents: { one: agent } }),
    '.moai/config/sections/design.yaml': settings(dirOf(outside)),
    'docs/features/001-search/spec.md': '# Search\n',
    'a.ts': 'export const a = 1;\n',
  });
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: root });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  return { root, outside };
}

const commands: readonly (readonly string[])[] = [
  ['context'],
  ['context', '--auto'],
  ['context', '--for', 'evaluator'],
  ['design', '--solo', '--no-branch', '--dry-run', 'search'],
  ['lite-plan', '--dry-run', 'search'],
  ['lite-execute', '--dry-run', 'search'],
  ['feature', 'specify', '--feature', '001', '--dry-run'],
  ['refine', '--no-brand', '--dry-run', 'search'],
];

test.each(commands)(
  '%s %s %s: a folder outside of the project that the clone names is not read',
  async (...words) => {
    const { root } = clone((outside) => outside);
    const { exit, out, err } = await runCommandLine('--cwd', root, '--json', ...words);
    expect(exit, err).toBe(0);
    expect(err).toMatch(
      /^(?:warning: |\*\*⚠ )design docs: \S+ lies outside of the project \(\S+\) and is not read — --dir reads it/m,
    );
    expect(`${out}${err}`).not.toContain('secret');
  },
);

test('refine takes neither brief nor imported design from outside, by a folder or by a link in it', async () => {
  const { root, outside } = clone((folder) => folder);
  const words = ['--cwd', root, 'refine', '--no-brand', '--dry-run'];
  expect(await runCommandLine(...words)).toMatchObject({ exit: 2, err: expect.stringContaining('no brief') });
  expect(await runCommandLine(...words, '--path', 'import', 'search')).toMatchObject({ exit: 4 });
  for (const name of ['tokens.json', 'brief']) {
    rmSync(path.join(root, '.moai'), { recursive: true });
    mkdirSync(path.join(root, '.moai', 'design'), { recursive: true });
    writeFileSync(path.join(root, '.moai', 'design', 'spec.md'), 'ours');
    symlinkSync(path.join(outside, name), path.join(root, '.moai', 'design', name));
    const ended = await runCommandLine(...words, ...(name === 'brief' ? [] : ['search']));
    expect(ended, name).toMatchObject({ exit: 5, err: expect.stringContaining('path-unsafe') });
    expect(`${ended.out}${ended.err}`, name).not.toContain('secret');
  }
});

test.each([
  ['brand_context', 'dir', '../outside'],
  ['brand_context', 'dir', '/etc'],
  ['brand_context', 'dir', 'linked'],
  ['gan_loop', 'artifact_dir', '../outside'],
  ['gan_loop', 'artifact_dir', '/etc'],
  ['gan_loop', 'artifact_dir', 'linked'],
])('refine: %s %s %s leads out of the project and is refused', async (section, key, value) => {
  const { root, outside } = clone((folder) => folder);
  symlinkSync(outside, path.join(root, 'linked'));
  const keys = section === 'gan_loop' ? { sprint_contract: { [key]: value } } : { [key]: value };
  writeFileSync(
    path.join(root, '.moai', 'config', 'sections', 'design.yaml'),
    JSON.stringify({ design: { [section]: keys } }),
  );
  const brand = section === 'gan_loop' ? ['--no-brand'] : [];
  const ended = await runCommandLine('--cwd', root, 'refine', ...brand, '--dry-run', 'search');
  expect(ended).toMatchObject({ exit: 5, err: expect.stringContaining('path-unsafe') });
});

test('the folder is read when a person names it', async () => {
  const { root, outside } = clone((folder) => folder);
  const { out } = await runCommandLine('context', '--dir', outside, '--cwd', root);
  expect(out).toContain('secret');
});
