import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInside } from '../../../base/files/bounded.ts';
import { nameProblems } from './scan-entries.ts';

test('IM-02 a name without problems stays inside any folder, on either kind of system', () => {
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'a',
    'b.png',
    'C:',
    '\\',
    '/',
    'x\\..',
    '~',
    '\0',
    '%2e%2e',
    '．．',
  );
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('/', '\\'),
      (parts, slash) => {
        const name = parts.join(slash);
        if (nameProblems(name).length > 0) return;
        expect(isInside('/project/design', path.posix.resolve('/project/design', name))).toBe(true);
        const windows = path.win32.resolve('C:\\project\\design', name);
        expect(windows.startsWith('C:\\project\\design')).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});
