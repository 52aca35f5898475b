import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../../test/arbitrary-of.ts';
import { prose } from '../../base/schema/primitives.ts';
import { planDigest } from './digest.ts';

test('the digest names the version of a plan; line ends are none', () => {
  fc.assert(
    fc.property(arbitraryOf(prose(300)), (plan) => {
      expect(planDigest(`${plan}\n`)).toBe(planDigest(plan));
      expect(planDigest(`${plan}!`)).not.toBe(planDigest(plan));
    }),
  );
});
