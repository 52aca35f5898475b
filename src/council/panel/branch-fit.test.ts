import { expect, test } from 'vitest';
import { branchFits } from './branch-fit.ts';

const about = (name: string, ...subjects: string[]) => ({ name: `ann/${name}`, prefix: 'ann', subjects });

test('L-152 L-156 a branch fits unless its name and its commits are plainly about something else', () => {
  const feature = 'add rate limiting to the API';
  for (const branch of [
    about('rate-limits', 'Count requests'),
    about('spike', 'Try a limiter in front of the router'),
    about('checkout-colours'),
    about('x', 'wip'),
    about('fix', 'Fix the tests'),
  ])
    expect(branchFits(branch, feature), branch.name).toBe(true);
  expect(branchFits(about('checkout-colours', 'Paint the button blue'), feature)).toBe(false);
  expect(branchFits(about('checkout-colours', 'Paint the button blue'), 'add the new')).toBe(true);
});
