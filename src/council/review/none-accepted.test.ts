import { expect, test } from 'vitest';
import { noneAccepted } from './none-accepted.ts';
import type { Outcome, TallyEntry } from './tally.ts';

const said = (tier: 'panel' | 'none', ...outcomes: Outcome[]) =>
  noneAccepted(
    outcomes.map((outcome) => ({ outcome }) as TallyEntry),
    { tier },
  );

test('L-650, L-691: findings count as rejected only when every one was; exonerated ones were once called so', () => {
  expect(said('panel', 'rejected', 'rejected')).toBe(
    '**ℹ Voting panel rejected all in-scope findings. Plan unchanged.**',
  );
  expect(said('panel', 'exonerated')).toBe(
    '**ℹ Voting panel accepted none of the in-scope findings (1 exonerated). Plan unchanged.**',
  );
  expect(said('panel', 'exonerated', 'rejected', 'neutral', 'exonerated')).toBe(
    '**ℹ Voting panel accepted none of the in-scope findings (1 neutral, 2 exonerated, 1 rejected). Plan unchanged.**',
  );
  expect(said('none', 'neutral')).toBe('**ℹ Nobody voted: no finding was accepted. Plan unchanged.**');
});
