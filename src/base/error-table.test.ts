import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { troubleshootingPage } from '../../scripts/troubleshooting.ts';

test('F-34: docs/reference/errors.md lists every code; `npm run docs` writes it', () => {
  const page = path.resolve(import.meta.dirname, '../..', 'docs', 'reference', 'errors.md');
  expect(readFileSync(page, 'utf8')).toBe(troubleshootingPage());
});
