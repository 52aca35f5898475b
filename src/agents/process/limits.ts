/** Why a process was ended from outside. */
export type EndReason = 'wall' | 'idle' | 'output' | 'cancelled' | 'driver';

export type ProcessLimits = {
  wallMs: number;
  idleMs: number;
  /** Bytes of stdout and stderr together. */
  outputBytes: number;
  /** A line longer than this is dropped; the stream continues after it. */
  lineBytes: number;
  /** Time for a process to exit after SIGTERM. */
  termGraceMs: number;
  /** How long a process may stay after its answer was complete. */
  lingerMs: number;
};

export const defaultLimits = {
  outputBytes: 64 * 1024 * 1024,
  lineBytes: 8 * 1024 * 1024,
  termGraceMs: 3000,
  lingerMs: 5000,
} as const;

/** How often the watch checks, and the most that one check can count. */
export const tickMs = 200;
const longestStepMs = 2000;

/** Time that has really been given to the process: a machine that slept between two looks counts one step. */
export type Watch = { lastLook: number; wall: number; idle: number };

export function startWatch(now: number): Watch {
  return { lastLook: now, wall: 0, idle: 0 };
}

/** The watch after a check at `now`; `active`: output since the last check. */
export function lookAt(watch: Watch, now: number, active: boolean): Watch {
  const step = Math.max(0, Math.min(now - watch.lastLook, longestStepMs));
  return { lastLook: now, wall: watch.wall + step, idle: active ? 0 : watch.idle + step };
}

/** Which limit has passed, if any. The wall clock comes first: it is the harder promise. */
export function passedLimit(
  watch: Watch,
  limits: Pick<ProcessLimits, 'wallMs' | 'idleMs'>,
): EndReason | undefined {
  if (watch.wall >= limits.wallMs) return 'wall';
  if (watch.idle >= limits.idleMs) return 'idle';
  return undefined;
}
