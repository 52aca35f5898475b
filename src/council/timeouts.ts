/** L-930, L-931, C-33: the only place with time limits. Outer ≥ collector ≥ agent + 60 s. */
export const timeouts = {
  sketch: { outerMs: 1_260_000, collectorSeconds: 1260, agentSeconds: 1200 },
  review: { outerMs: 1_860_000, collectorSeconds: 1860, agentSeconds: 1800 },
  debate: { outerMs: 1_860_000, collectorSeconds: 1860, agentSeconds: 1800 },
  judge: { outerMs: 1_860_000, collectorSeconds: 1860, agentSeconds: 1800 },
  vote: { outerMs: 1_260_000, collectorSeconds: 1260, agentSeconds: 1200 },
  author: { outerMs: 1_860_000, collectorSeconds: 1860, agentSeconds: 1800 },
  probe: { outerMs: 120_000, collectorSeconds: 120, agentSeconds: 60 },
} as const satisfies Record<string, { outerMs: number; collectorSeconds: number; agentSeconds: number }>;

export type TimeoutFamily = keyof typeof timeouts;

/** A limit given by the user shortens the agent's time; the pauses around it keep their distance. */
export function scaledTimeout(family: TimeoutFamily, agentSeconds: number) {
  const seconds = Math.max(1, Math.min(timeouts[family].agentSeconds, Math.floor(agentSeconds)));
  return { outerMs: (seconds + 60) * 1000, collectorSeconds: seconds + 60, agentSeconds: seconds };
}
