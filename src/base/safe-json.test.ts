import { expect, test } from 'vitest';
import { deepestJson, readJson } from './safe-json.ts';

const nested = (levels: number, inner = '1') =>
  `${'[{"a":'.repeat(levels / 2)}${inner}${'}]'.repeat(levels / 2)}`;

test('JSON is read up to a depth and refused beyond it', () => {
  expect(readJson(nested(deepestJson))).toMatchObject({ ok: true });
  for (const levels of [deepestJson + 2, 100_000])
    expect(readJson(nested(levels))).toEqual({ ok: false, message: 'more than 200 levels of JSON' });
});

test('brackets in strings and next to one another do not count as depth', () => {
  const brackets = `["\\"[\\\\${'['.repeat(1000)}`;
  const text = JSON.stringify({ [brackets]: brackets, list: Array.from({ length: 1000 }, () => [{}]) });
  expect(readJson(text)).toMatchObject({ ok: true });
});

test('a byte order mark before the text is ignored', () => {
  expect(readJson('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  expect(readJson('{"a":"\uFEFF"}')).toEqual({ ok: true, value: { a: '\uFEFF' } });
  expect(readJson('\uFEFF')).toMatchObject({ ok: false });
});
