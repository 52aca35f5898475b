import { randomBytes } from 'node:crypto';

/** Time and randomness as arguments, so that a run can be repeated to the byte. */
export type Clock = { now(): number };
export type Ids = { next(): string };

/**
 * The calendar's time, but never back: when the machine's clock is set back, this one continues from where it was. A step
 * forward is followed, since a machine that slept looks the same.
 */
export function steadyClock(calendar: () => number, monotonic: () => number): Clock {
  let last = { time: calendar(), at: monotonic() };
  let ahead = 0;
  return {
    now() {
      const at = monotonic();
      const expected = last.time + Math.max(0, at - last.at);
      const shown = calendar() + ahead;
      // The clocks are read one after the other; that delay is not a step back.
      if (shown < expected - toleratedMs) ahead += expected - shown;
      last = { time: Math.max(last.time, Math.round(calendar() + ahead)), at };
      return last.time;
    },
  };
}

/** Clocks are set right in small steps all the time. */
const toleratedMs = 1000;

export const systemClock: Clock = steadyClock(
  () => Date.now(),
  () => performance.now(),
);
export const randomIds: Ids = { next: () => randomBytes(4).toString('hex') };

/** The time as records and events have it. */
export function timeOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** `CHARRETTE_FIXED_TIME` (milliseconds since 1970) and `CHARRETTE_FIXED_ID` make a run reproducible. */
export function clockFrom(env: NodeJS.ProcessEnv): Clock {
  const fixed = Number(env['CHARRETTE_FIXED_TIME'] ?? Number.NaN);
  return Number.isFinite(fixed) ? { now: () => fixed } : systemClock;
}

export function idsFrom(env: NodeJS.ProcessEnv): Ids {
  const fixed = env['CHARRETTE_FIXED_ID'];
  return fixed === undefined || fixed === '' ? randomIds : { next: () => fixed };
}
