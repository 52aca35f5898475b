import { expect, test } from 'vitest';
import { depthOf, namedDepth } from './depth.ts';

test('--solo and --quick are depths; two different ones contradict each other', () => {
  expect(namedDepth({ solo: true })).toBe('solo');
  expect(namedDepth({ depth: 'quick', quick: true })).toBe('quick');
  expect(namedDepth({})).toBeUndefined();
  expect(() => namedDepth({ solo: true, quick: true })).toThrow(/Two depths/);
});

test('L-005, L-202, L-203: regular has four sketches, quick two, and nothing else changes', () => {
  const regular = depthOf({}, {}, undefined);
  const quick = depthOf({}, {}, 'quick');
  expect(regular).toEqual({ panel: 'diagonal', quick: false, sketches: 4, dialectic: 'binding' });
  expect(quick).toEqual({ ...regular, quick: true, sketches: 2 });
});

test('L-005: a number of sketches that is asked for wins; without one every panel has its own', () => {
  const count = (flags: Parameters<typeof depthOf>[0], name?: Parameters<typeof depthOf>[2]) =>
    depthOf(flags, {}, name).sketches;
  expect([count({ panel: 'wide' }), count({ panel: 'pair' }), count({ panel: 'solo' })]).toEqual([10, 2, 0]);
  expect([count({}, 'wide'), count({ sketches: '4' }, 'wide'), count({ panel: 'wide' }, 'quick')]).toEqual([
    10, 4, 2,
  ]);
  expect(depthOf({ sketches: '4' }, {}, 'quick')).toMatchObject({ quick: false, sketches: 4 });
  expect(depthOf({}, { sketches: 2 }, undefined).sketches).toBe(2);
});

test('an explicit flag wins over the depth, the configuration only where no depth was asked for', () => {
  expect(depthOf({ sketches: '0', dialectic: 'off' }, {}, 'wide')).toMatchObject({
    panel: 'wide',
    sketches: 0,
    dialectic: 'off',
  });
  expect(depthOf({}, { panel: 'pair', dialectic: 'advisory' }, undefined)).toMatchObject({
    panel: 'pair',
    dialectic: 'advisory',
  });
  expect(depthOf({}, { panel: 'pair', dialectic: 'advisory' }, 'quick')).toMatchObject({
    panel: 'diagonal',
    dialectic: 'binding',
  });
});

test.each([
  [{ panel: 'solo', sketches: '4' }, undefined, '--sketches 4'],
  [{ panel: 'solo', dialectic: 'binding' }, undefined, '--dialectic binding'],
  [{ sketches: '2' }, 'solo', '--sketches 2'],
] as const)('a flag that the panel cannot follow is refused: %j', (flags, name, flag) => {
  expect(() => depthOf(flags, {}, name)).toThrow(`${flag} does not go with the panel solo`);
});

test('what the configuration says of sketches and debates does not apply to one who works alone', () => {
  const alone = { panel: 'solo', sketches: 0, dialectic: 'off' };
  expect(depthOf({ panel: 'solo' }, { sketches: 4, dialectic: 'binding' }, undefined)).toMatchObject(alone);
  expect(depthOf({ panel: 'solo', sketches: '0', dialectic: 'off' }, {}, undefined)).toMatchObject(alone);
});
