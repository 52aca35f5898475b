import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkRandomContext, randomContext } from '../../../test/support/context-fuzz.ts';
import { projectWith } from '../../../test/support/design-project.ts';

test('M-031…M-044: random documents, budgets and orders keep every promise', async () => {
  const root = projectWith({ '.moai/design/.keep': '' });
  await fc.assert(
    fc.asyncProperty(randomContext, (input) => checkRandomContext(root, input)),
    { numRuns: 2_000 },
  );
  expect.hasAssertions();
});
