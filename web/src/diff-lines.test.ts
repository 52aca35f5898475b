import { expect, test } from 'vitest';
import { unifiedDiff } from '../../src/base/text/diff.ts';
import { diffLines } from './diff-lines.ts';

test('lines that look like the header of a diff are shown with the rest', () => {
  const diff = unifiedDiff('a\n\n---\n-- flag is gone\nb\n', 'a\n\n++ x\nb\n=== y\n', { context: 4 });
  expect(diffLines(diff.kind === 'diff' ? diff.text : '')).toEqual([
    '@@ -1,5 +1,5 @@',
    ' a',
    ' ',
    '----',
    '--- flag is gone',
    '+++ x',
    ' b',
    '+=== y',
    '',
  ]);
});
