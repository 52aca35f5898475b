import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { readOutputSchemas } from './outputs.ts';

test('schemas of a package are known by the names of their values', async () => {
  const directory = projectWith({ 'schemas/plan.schema.json': '{"type": "object"}', 'schemas/x.json': '{}' });
  expect([...(await readOutputSchemas(directory))]).toEqual([
    ['plan', { source: 'schemas/plan.schema.json', schema: { type: 'object' } }],
  ]);
});

test.each(['schemas', 'schemas/plan.schema.json'])(
  '%s as a link out of the package goes into no prompt',
  async (name) => {
    const outside = projectWith({ 'plan.schema.json': '{"auths": "secret"}' });
    const directory = projectWith();
    mkdirSync(path.join(directory, path.dirname(name)), { recursive: true });
    symlinkSync(
      name === 'schemas' ? outside : path.join(outside, 'plan.schema.json'),
      path.join(directory, name),
    );
    await expect(readOutputSchemas(directory)).rejects.toMatchObject({ code: 'path-unsafe' });
  },
);
