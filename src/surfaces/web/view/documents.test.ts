import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../../test/support/design-project.ts';
import { homeOf, runDirectoryOf } from '../../../engine/run-directory.ts';
import { documentViews } from './documents.ts';

test('a document of a run that is a link out of it is not shown', async () => {
  const outside = projectWith({ secret: 'secret' });
  const directory = runDirectoryOf(homeOf(projectWith()), 'r-1');
  mkdirSync(directory.artifacts, { recursive: true });
  const about = { workflow: 'lite-plan', inputs: {} } as const;
  writeFileSync(path.join(directory.artifacts, 'execution-summary.md'), 'ours');
  symlinkSync(path.join(outside, 'secret'), path.join(directory.artifacts, 'code-review.md'));
  const shown = await documentViews(directory, about);
  expect(JSON.stringify(shown)).not.toContain('secret');
  expect(JSON.stringify(shown)).toContain('ours');
});
