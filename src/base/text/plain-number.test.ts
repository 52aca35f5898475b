import { expect, test } from 'vitest';
import { plainNumber } from './plain-number.ts';

test.each([
  ['0', 0],
  ['007', 7],
  ['12.5', 12.5],
  ['.5', 0.5],
])('%j is a number', (text, number) => expect(plainNumber(text)).toBe(number));

test.each([
  '',
  ' ',
  '\n',
  ' 3',
  '3 ',
  '3\n',
  '-1',
  '+1',
  '0x10',
  '1e3',
  '1.',
  '1_000',
  '1,5',
  'Infinity',
  '9'.repeat(400),
])('%j is none', (text) => expect(plainNumber(text)).toBeUndefined());
