/** L-930: the families of time limits. Silence ends a call earlier than its wall-clock limit does. */
export const timeouts = {
  sketch: { wallMs: 1_200_000, idleMs: 600_000 },
  review: { wallMs: 1_800_000, idleMs: 600_000 },
  vote: { wallMs: 1_200_000, idleMs: 600_000 },
} as const;

export type TaskFamily = keyof typeof timeouts;
