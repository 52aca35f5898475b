/**
 * Which agents may be used, per scope. The scope is part of the type: what debates and judges learn cannot become
 * run-wide health (L-025, F-16), because no function turns a phase scope into the run scope.
 */
declare const scopeOf: unique symbol;

export type HealthScope = 'run' | 'debate' | 'judge';

export type AgentHealth = {
  /** The program exists. */
  available: boolean;
  /** It answered its probe. Unknown counts as not healthy (L-128, L-978). */
  healthy: boolean;
  reason?: string;
  /** Lanes of this agent that failed, whether or not it was switched off for it. */
  failedLanes: number;
};

export type Availability<Scope extends HealthScope> = {
  readonly agents: Readonly<Record<string, AgentHealth>>;
  readonly [scopeOf]: Scope;
};

export type RunAvailability = Availability<'run'>;

export type ProbeOutcome = { available: boolean; healthy?: boolean; reason?: string };

/** Run-wide health from the probes of the start; a probe without a verdict counts as unhealthy (L-126, F-11). */
export function runAvailability(probes: Readonly<Record<string, ProbeOutcome>>): RunAvailability {
  return { agents: fromProbes(probes) } as RunAvailability;
}

/** L-510: judges are chosen after a fresh probe, whatever happened in the debates. */
export function judgeAvailability(probes: Readonly<Record<string, ProbeOutcome>>): Availability<'judge'> {
  return { agents: fromProbes(probes) } as Availability<'judge'>;
}

/** L-478: the debate's own copy at entry. */
export function debateAvailability(run: RunAvailability): Availability<'debate'> {
  return { agents: { ...run.agents } } as Availability<'debate'>;
}

/** L-123: both keys must be on. */
export function isUp(availability: Availability<HealthScope>, agent: string): boolean {
  const health = availability.agents[agent];
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
  run: RunAvailability,
  failure: LaneFailure,
  policy: HealthPolicy = 'after-failed-reprobe',
): RunAvailability {
  const before = run.agents[failure.agent] ?? { available: true, healthy: false, failedLanes: 0 };
  const off = policy === 'after-one-lane' || failure.reprobeHealthy === false;
  const after: AgentHealth = {
    ...before,
    healthy: before.healthy && !off,
    failedLanes: before.failedLanes + 1,
    reason: before.healthy ? failure.reason : (before.reason ?? failure.reason),
  };
  return { agents: { ...run.agents, [failure.agent]: after } } as RunAvailability;
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

function fromProbes(probes: Readonly<Record<string, ProbeOutcome>>): Record<string, AgentHealth> {
  return Object.fromEntries(
    Object.entries(probes).map(([agent, probe]): [string, AgentHealth] => [
      agent,
      {
        available: probe.available,
        healthy: probe.available && probe.healthy === true,
        failedLanes: 0,
        ...(probe.reason === undefined ? {} : { reason: probe.reason }),
      },
    ]),
  );
}

/** Appendix E: a vendor lost at run time. */
export function lostAgentWarning(title: string, reason: string, replacement: string | undefined): string {
  const next = replacement === undefined ? 'Its seats stay empty' : `Using ${replacement} replacement`;
  return `**⚠ ${title} failed — ${reason}. ${next} for remainder of session.**`;
}
