export type AgentHealth = {
  /** The program exists. */
  available: boolean;
  /** It answered its probe. Unknown counts as not healthy (L-128, L-978). */
  healthy: boolean;
  reason?: string;
  /** Its account is used up and resets automatically. */
  usedUp?: true;
  /** Lanes of this agent that failed, whether or not it was switched off for it. */
  failedLanes: number;
};

/** Which agents may be used. What debates and judges learn stays with them: they get seats and return none of this (L-025, F-16). */
export type Health = { readonly agents: Readonly<Record<string, AgentHealth>> };

export type ProbeOutcome = {
  available: boolean;
  healthy?: boolean;
  reason?: string;
  /** Its account is used up and resets automatically. */
  usedUp?: { resetsAt?: number };
};

/** Health from probes; a probe without a verdict counts as unhealthy (L-126, F-11). */
export function healthFrom(probes: Readonly<Record<string, ProbeOutcome>>): Health {
  const agents = Object.entries(probes).map(
    ([agent, { available, healthy, reason, usedUp }]): [string, AgentHealth] => [
      agent,
      {
        available,
        healthy: available && healthy === true,
        failedLanes: 0,
        ...(reason === undefined ? {} : { reason }),
        ...(usedUp === undefined ? {} : { usedUp: true as const }),
      },
    ],
  );
  return { agents: Object.fromEntries(agents) };
}

/** Agents that need no health check. */
export function allUp(agents: readonly { id: string }[]): Health {
  return healthFrom(Object.fromEntries(agents.map(({ id }) => [id, { available: true, healthy: true }])));
}

/** L-123: both keys must be on. */
export function isUp({ agents }: Health, agent: string): boolean {
  const health = agents[agent];
  return health?.available === true && health.healthy;
}

export type LaneFailure = {
  agent: string;
  reason: string;
  /** C-30: what a probe right after the failure said; absent when none was made. */
  reprobeHealthy?: boolean;
};

export type HealthPolicy = 'after-failed-reprobe' | 'after-one-lane';

/** Counts a failed lane; switches the agent off after a failed re-probe, or at once under the older rule (L-374). It never comes back on. */
export function afterLaneFailure(
  run: Health,
  failure: LaneFailure,
  policy: HealthPolicy = 'after-failed-reprobe',
): Health {
  const before = run.agents[failure.agent] ?? { available: true, healthy: false, failedLanes: 0 };
  const off = policy === 'after-one-lane' || failure.reprobeHealthy === false;
  const after: AgentHealth = {
    ...before,
    healthy: before.healthy && !off,
    failedLanes: before.failedLanes + 1,
    reason: before.healthy ? failure.reason : (before.reason ?? failure.reason),
  };
  return { agents: { ...run.agents, [failure.agent]: after } };
}

/** L-123: the warning for an agent that is off at the start; `undefined` when it is on. */
export function healthWarning(
  title: string,
  health: AgentHealth,
  replacement: string | undefined,
): string | undefined {
  if (!health.available) {
    return `**⚠ ${title} not available (binary not found). Proceeding without ${title} reviewer.**`;
  }
  if (health.healthy) return undefined;
  const why = health.reason === undefined ? 'health check failed' : `health check failed: ${health.reason}`;
  const next = replacement === undefined ? 'Its seats stay empty.' : `Using ${replacement} replacement.`;
  return `**⚠ ${title} installed but not responding (${why}). ${next}**`;
}

/** Appendix E: a vendor lost at run time. */
export function lostAgentWarning(title: string, reason: string, replacement: string | undefined): string {
  const next = replacement === undefined ? 'Its seats stay empty' : `Using ${replacement} replacement`;
  return `**⚠ ${title} failed — ${reason}. ${next} for remainder of session.**`;
}
