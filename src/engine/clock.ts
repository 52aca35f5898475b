import { randomBytes } from 'node:crypto';

/** Time and randomness as arguments, so that a run can be repeated to the byte. */
export type Clock = { now(): number };
export type Ids = { next(): string };

export const systemClock: Clock = { now: () => Date.now() };
export const randomIds: Ids = { next: () => randomBytes(4).toString('hex') };

/** `CHARRETTE_FIXED_TIME` (milliseconds since 1970) and `CHARRETTE_FIXED_ID` make a run reproducible. */
export function clockFrom(env: NodeJS.ProcessEnv): Clock {
  const fixed = Number(env['CHARRETTE_FIXED_TIME'] ?? Number.NaN);
  return Number.isFinite(fixed) ? { now: () => fixed } : systemClock;
}

export function idsFrom(env: NodeJS.ProcessEnv): Ids {
  const fixed = env['CHARRETTE_FIXED_ID'];
  return fixed === undefined || fixed === '' ? randomIds : { next: () => fixed };
}
