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

test('a read-only disk is a refusal, whether the system names it or only describes it', () => {
  const named = Object.assign(new Error('EROFS: read-only file system, open'), { code: 'EROFS' });
  const described = Object.assign(new Error(", Unknown error: Read-only file system '/a'"), { code: '' });
  for (const error of [named, described, new Error(named.message)])
    expect(toCharretteError(error).code).toBe('permission-denied');
});
