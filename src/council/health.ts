import type { Degraded, SeatLoss } from '../engine/run-record.ts';
import type { Outcome, WorkflowContext } from '../engine/workflow.ts';
import type { Reply } from './call/call.ts';

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
  /** The probe said that the account is used up. */
  usedUp?: boolean;
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
    ...(failure.usedUp === true ? { usedUp: true } : {}),
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

/** Tasks of panel members. A missing answer to any other task is a gap in the work, which its workflow reports. */
const roles: Readonly<Record<string, string>> = {
  sketch: 'sketch',
  'debate-thesis': 'debate',
  'debate-antithesis': 'debate',
  judge: 'judge',
  compare: 'judge',
  vote: 'vote',
  'plan-review': 'review',
  'code-review': 'review',
  'change-review': 'review',
  explore: 'explore',
  'design-codebase-explorer': 'research',
  'design-internet-researcher': 'research',
  workflow: 'workflow',
};

/** What a seat lost by a call; `undefined` when the announced agent answered, or none was announced. */
export function lossIn(
  kind: string,
  { label, planned }: { label: string; planned?: { agent: string; down?: string } },
  { value, agent, failures, message }: Pick<Reply, 'value' | 'agent' | 'failures' | 'message'>,
): SeatLoss | undefined {
  const role = roles[kind];
  if (planned === undefined || (role === undefined && value === undefined)) return undefined;
  if (value !== undefined && agent === planned.agent) return undefined;
  const failure = failures.find((each) => each.agent === planned.agent);
  const reason = planned.down ?? failure?.message ?? message ?? 'another agent had the seat';
  const actual = value === undefined ? null : agent;
  const other = kind === 'execute' || kind === 'fix' ? 'executor' : 'author';
  return { role: role ?? other, seat: label, planned: planned.agent, actual, reason };
}

/** Each loss once, however often the seat was asked. */
export function addLoss({ seats }: Degraded, loss: SeatLoss | undefined): void {
  if (loss === undefined) return;
  const { role, seat, actual } = loss;
  if (!seats.some((each) => each.role === role && each.seat === seat && each.actual === actual))
    seats.push(loss);
}

/** Notes a round in which fewer families answered than needed: two when two were announced. `verb`: what they did in it. */
export function noteFamilies(
  { oneSided }: Degraded,
  verb: 'reviewed' | 'voted' | 'judged' | 'answered',
  {
    announced,
    answered,
    needed,
  }: { announced: readonly string[]; answered: readonly string[]; needed?: number | undefined },
): void {
  const [planned, actual] = [new Set(announced), new Set(answered)];
  if (actual.size >= (needed ?? (planned.size < 2 ? 0 : 2))) return;
  const noun = actual.size === 1 ? 'family' : 'families';
  const who = actual.size === 0 ? 'no family' : `only the ${noun} ${[...actual].join(', ')}`;
  const text = `${who} ${verb}; announced were ${[...planned].join(', ')}`;
  if (!oneSided.includes(text)) oneSided.push(text);
}

/**
 * The end of a run with what it lost: every such seat is named once more, and without the announced second family the result
 * counts only when you accept that.
 */
export function concludeDegraded(
  { degraded, live }: Pick<WorkflowContext, 'degraded' | 'live'>,
  outcome: Outcome,
  isAccepted: boolean,
): Outcome {
  const { seats, oneSided } = degraded;
  for (const [index, { role, seat, planned, actual, reason }] of seats.entries()) {
    const who = actual === null ? `no answer from ${planned}` : `${actual} instead of ${planned}`;
    const text = `Degraded ${role}: ${seat} had ${who} (${reason.replace(/\.$/, '')}).`;
    live.events.emit(`degraded:${index + 1}`, { type: 'warning', text });
  }
  const named = {
    ...outcome,
    ...(seats.length === 0 ? {} : { degraded: seats }),
    ...(oneSided.length === 0 ? {} : { oneSided }),
  };
  if (isAccepted || oneSided.length === 0) return named;
  const reason = `${oneSided.join('; ')} (--accept-degraded accepts that)`;
  const message = outcome.status === 'done' ? reason : `${outcome.message}; ${reason}`;
  return { ...named, status: 'not-accepted', exit: 6, message };
}
