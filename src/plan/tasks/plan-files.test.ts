import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { readTaskTexts } from './plan-files.ts';

test('reads only task files with a valid name', async () => {
  const folder = projectWith({
    '.task/TASK-001.json': 'one',
    '.task/notes.json': 'no',
    'TASK-002.json': 'no',
  });
  expect(await readTaskTexts(folder)).toEqual([{ file: 'TASK-001.json', text: 'one' }]);
});

test.each(['.task', '.task/TASK-001.json'])(
  '%s as a link out of the plan’s folder is refused',
  async (name) => {
    const outside = projectWith({ 'TASK-001.json': 'secret' });
    const folder = projectWith();
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    symlinkSync(name === '.task' ? outside : path.join(outside, 'TASK-001.json'), path.join(folder, name));
    await expect(readTaskTexts(folder)).rejects.toMatchObject({ code: 'path-unsafe' });
  },
);
