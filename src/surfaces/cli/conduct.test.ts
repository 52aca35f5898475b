import { expect, test } from 'vitest';
import { howToAnswer } from './conduct.ts';

const open = { id: 'budget-2a', text: 'Continue?' };

test('`--yes` is named only where every open question has a recommended answer', () => {
  expect(howToAnswer('r', [{ ...open, recommended: 'continue' }])).toContain('`charrette resume r --yes`');
  expect(howToAnswer('r', [open])).toBe('Answer as shown.');
  expect(howToAnswer('r', [{ ...open, recommended: 'continue' }, open])).toBe('Answer as shown.');
  expect(howToAnswer('r', [])).toBe('Continue with `charrette resume r`.');
});
