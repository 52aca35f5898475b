import { expect, test } from 'vitest';
import { isVague } from './vague.ts';

test.each([
  'works correctly',
  'It works as expected.',
  'good performance',
  'properly implemented',
  'The feature works',
  'No errors',
  'Service works correctly',
  'The login endpoint works properly',
  'Performance is good',
  'Feature is properly implemented',
  'The new export must behave as expected!',
  'The user interface is user-friendly',
  'Errors are properly handled',
  'The parser handles all cases',
  'There are no bugs',
  'high quality',
  'The code is of high quality',
])('P-068 PL004 "%s" cannot be checked', (text) => expect(isVague(text)).toBe(true));

test.each([
  '429 is returned after ten requests',
  'works correctly for empty input: returns []',
  '`npm test` exits with 0',
  'tsc reports no errors',
  'src/a.ts exists',
  'The answer of GET /health is good JSON',
  'Good performance: 1000 rows in under 50 ms',
  'The README names the flag --limit',
  'A second login with the same name is refused',
  'The parser handles all cases of test/cases.json',
  'The diff contains the change that "make it good" asks for.',
])('P-068 PL004 "%s" can be checked', (text) => expect(isVague(text)).toBe(false));
