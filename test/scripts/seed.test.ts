import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skipsBecause } from '../support/optional-programs.ts';

test.skipIf(skipsBecause(process.env['CHARRETTE_SEED'] !== undefined, 'CHARRETTE_SEED is set'))(
  'one commit has one verdict: properties are tried with the same values each time, and a failure names its seed',
  () => {
    const draw = () => fc.sample(fc.integer(), 5);
    expect(draw()).toEqual(draw());
    const failing = () =>
      fc.assert(
        fc.property(fc.integer(), () => {
          throw new Error('told to fail');
        }),
      );
    expect(failing).toThrow(/seed: 20251116/);
  },
);
