import { expect, test } from 'vitest';
import { type ErrorCode, errorTable } from './error-table.ts';
import { CharretteError, toCharretteError } from './errors.ts';

test('every error has a fix: its own, else what usually helps with its code', () => {
  for (const [code, { fix }] of Object.entries(errorTable)) {
    expect(fix, code).toMatch(/^[A-Z`].{15,}\.$/);
    expect(new CharretteError({ code: code as ErrorCode, message: 'x' }).fix).toBe(fix);
  }
  expect(new CharretteError({ code: 'usage', message: 'x', fix: 'Do this.' }).fix).toBe('Do this.');
  expect(toCharretteError(new Error('x'))).toMatchObject({ code: 'internal', fix: errorTable.internal.fix });
});
