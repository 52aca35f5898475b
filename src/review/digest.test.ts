import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { prose } from '../schema/primitives.ts';
import { isCurrent, planDigest } from './digest.ts';

test('a verdict on another version of the plan is not current', () => {
  fc.assert(
    fc.property(arbitraryOf(prose(300)), (plan) => {
      expect(isCurrent(planDigest(plan), `${plan}\n`)).toBe(true);
      expect(isCurrent(planDigest(plan), `${plan}!`)).toBe(false);
    }),
  );
});
