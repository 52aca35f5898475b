import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { runCommandLine } from '../../../test/support/run-command-line.ts';

const unsafe = { exit: 5, err: expect.stringContaining('path-unsafe') };

test.each(['docs', 'docs/features'])(
  'features that %s, a link in the clone, brings from outside are read and made on a person’s word alone',
  async (name) => {
    const { root: outside, directory } = featureDirectory();
    const root = projectWith();
    mkdirSync(path.join(root, '.git'));
    mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
    symlinkSync(path.join(outside, name), path.join(root, name));
    const prompt = ['prompt', 'specify', 'spec-reviewer', '--cwd', root];
    for (const words of [prompt, [...prompt, '--feature', '007'], ['feature', 'new', 'x', '--cwd', root]])
      expect(await runCommandLine(...words), words.join(' ')).toMatchObject(unsafe);
    expect(readdirSync(path.dirname(directory))).toEqual(['007-search']);
    for (const words of [
      [...prompt, '--feature', directory],
      [...prompt, '--root', path.join(outside, 'docs')],
    ])
      expect(await runCommandLine(...words), words.join(' ')).toMatchObject({ exit: 0 });
  },
);

test.each(['.meta.json', '.review-history.md', 'implementation-log.md', 'retro.md', '.waivers.json'])(
  'a feature whose %s is a link out of it is refused',
  async (name) => {
    const { root, directory } = featureDirectory();
    const outside = projectWith({ secret: '{"id": "secret"}' });
    rmSync(path.join(directory, name), { force: true });
    symlinkSync(path.join(outside, 'secret'), path.join(directory, name));
    const ended = await runCommandLine('feature', 'status', '--feature', '007', '--cwd', root);
    expect(ended).toMatchObject(unsafe);
    expect(ended.out).toBe('');
  },
);
