import fc from 'fast-check';
import { expect, test } from 'vitest';
import { steadyClock } from './clock.ts';

function clocks() {
  const machine = { calendar: 1_000_000, monotonic: 0 };
  const clock = steadyClock(
    () => machine.calendar,
    () => machine.monotonic,
  );
  const pass = (ms: number) => {
    machine.calendar += ms;
    machine.monotonic += ms;
  };
  return { machine, clock, pass };
}

test('a clock that is set back by an hour continues from where it was', () => {
  const { machine, clock, pass } = clocks();
  pass(5000);
  const before = clock.now();
  machine.calendar -= 3_600_000;
  pass(2000);
  expect(clock.now() - before).toBe(2000);
  pass(70);
  expect(clock.now() - before).toBe(2070);
});

test('follows a step forward', () => {
  const { machine, clock, pass } = clocks();
  const before = clock.now();
  machine.calendar += 3_600_000;
  pass(10);
  expect(clock.now() - before).toBe(3_600_010);
});

test('time never goes back and never stops for long under random calendar changes', () => {
  const steps = fc.array(
    fc.record({ jump: fc.integer({ min: -1e9, max: 1e9 }), passes: fc.integer({ min: 0, max: 1e6 }) }),
  );
  fc.assert(
    fc.property(steps, (list) => {
      const { machine, clock, pass } = clocks();
      let last = clock.now();
      for (const { jump, passes } of list) {
        machine.calendar += jump;
        pass(passes);
        const now = clock.now();
        expect(now).toBeGreaterThanOrEqual(last + passes - 1000);
        expect(now).toBeGreaterThanOrEqual(last);
        last = now;
      }
    }),
  );
});
