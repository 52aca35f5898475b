import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkRandomContext, randomContext } from '../support/context-fuzz.ts';
import { projectWith } from '../support/design-project.ts';

test('M-031…M-044: a hundred thousand random contexts keep every promise', async () => {
  const root = projectWith({ '.moai/design/.keep': '' });
  await fc.assert(
    fc.asyncProperty(randomContext, (input) => checkRandomContext(root, input)),
    { numRuns: 100_000 },
  );
  expect.hasAssertions();
});
