import { expect, test } from 'vitest';
import { projectWith } from '../../test/support/design-project.ts';
import { runCommandLine as run } from '../../test/support/run-command-line.ts';

test('M-060, M-068: init creates once and skips the second time with exit 0', async () => {
  const root = projectWith();
  const first = await run('init', '--design', '--cwd', root);
  expect(first).toMatchObject({
    exit: 0,
    err: '',
    out: expect.stringContaining('created .moai/design/spec.md\n'),
  });
  const second = await run('init', '--design', '--cwd', root);
  expect(second).toMatchObject({ exit: 0, out: '', err: expect.stringMatching(/\.moai\/design\/.*skip/) });
});

test('M-066: a reserved name stops init and warns on update', async () => {
  const root = projectWith({ '.moai/design/tokens.json': '{}' });
  expect(await run('init', '--design', '--cwd', root)).toMatchObject({
    exit: 5,
    err: expect.stringContaining('error: reserved filename: .moai/design/tokens.json'),
  });
  expect(await run('init', '--update', '--cwd', root)).toMatchObject({
    exit: 0,
    err: 'warning: reserved filename: .moai/design/tokens.json (preserved; rename to use canonical templates)\n',
  });
  expect(await run('init', '--update', '--strict', '--cwd', root)).toMatchObject({ exit: 5 });
});

test('without a flag it says what there is to set up', async () => {
  expect(await run('init', '--cwd', projectWith())).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--design'),
  });
});
