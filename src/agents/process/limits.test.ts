import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookAt, passedLimit, startWatch } from './process-tree.ts';

test('time counts, output resets the silence', () => {
  let watch = startWatch(0);
  for (let now = 200; now <= 2000; now += 200) watch = lookAt(watch, now, now === 1000);
  expect(watch).toMatchObject({ wall: 2000, idle: 1000 });
  expect(passedLimit(watch, { wallMs: 5000, idleMs: 1001 })).toBeUndefined();
  expect(passedLimit(watch, { wallMs: 5000, idleMs: 1000 })).toBe('idle');
  expect(passedLimit(watch, { wallMs: 2000, idleMs: 1000 })).toBe('wall');
});

test('F-40 a machine that slept for hours does not end the agents it slept with', () => {
  const watch = lookAt(startWatch(0), 8 * 3_600_000, false);
  expect(passedLimit(watch, { wallMs: 60_000, idleMs: 15_000 })).toBeUndefined();
});

test('the clock may jump in any way: time given is never more than the looks allow, and never shrinks', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 })), (looks) => {
      let watch = startWatch(0);
      for (const now of looks) {
        const next = lookAt(watch, now, false);
        expect(next.wall - watch.wall).toBeGreaterThanOrEqual(0);
        expect(next.wall - watch.wall).toBeLessThanOrEqual(2000);
        watch = next;
      }
    }),
  );
});
