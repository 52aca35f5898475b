import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { failurePolicies } from '../../agents/failure-kinds.ts';
import type { Agent, LaneKind } from '../../agents/port.ts';
import type { JudgementName } from '../../base/schema/judgements.ts';
import type { Reply } from '../../council/council.ts';
import {
  afterLaneFailure,
  isUp,
  judgeAvailability,
  lostAgentWarning,
  type ProbeOutcome,
  type RunAvailability,
} from '../../council/health.ts';
import { agentLabel, replacementOf, seatPanel, type Table } from '../../council/seating.ts';
import { reportHealth } from './caller.ts';
import { addLoss } from './degraded.ts';
import type { Desk } from './desk.ts';
import { rulesOf, type SeatedTable } from './inputs.ts';

/** The agents that may take a seat. The scout takes one only when there is no other agent. */
export function agentsOf({ services, isRuleBased }: Desk): Agent[] {
  return [...services.agents.values()].filter(({ family }) => isRuleBased || family !== 'static');
}

/** The panel that was asked for, filled with the agents that are up. */
export function seat(desk: Desk, health: RunAvailability, announced: string[]): SeatedTable {
  return { ...seatPanel(agentsOf(desk), health, desk.inputs, announced), health, announced };
}

/** L-510: a fresh health check, so that a slow debate keeps no agent from judging; its result stays in this phase. */
export async function freshJury(
  desk: Desk,
  announced: readonly string[],
): Promise<Pick<Table, 'judges' | 'absent'>> {
  const agents = agentsOf(desk);
  const availability = judgeAvailability(await probeAgents(desk, 'judges', agents));
  return seatPanel(agents, availability, desk.inputs, announced);
}

/** L-124, L-126: runs the health check of every agent, except those that a caller knows to be down (L-114). */
export function probeAgents(
  desk: Desk,
  name: string,
  agents: readonly Agent[],
  knownDown: readonly string[] = [],
): Promise<Record<string, ProbeOutcome>> {
  return desk.context.step(`probe ${name}`, async (signal) => {
    const outcomes = await Promise.all(
      agents.map(async (agent): Promise<[string, ProbeOutcome]> => {
        if (knownDown.includes(agent.id)) {
          return [agent.id, { available: true, healthy: false, reason: 'reported unhealthy by the caller' }];
        }
        const laneDirectory = path.join(desk.context.live.directory.lanes, `probe-${agent.id}`);
        await mkdir(laneDirectory, { recursive: true });
        const {
          healthy,
          available = true,
          message,
        } = await agent.probe({
          signal,
          onEvent() {},
          laneDirectory,
          directory: desk.inputs.project,
        });
        return [agent.id, { available, healthy, ...(message === undefined ? {} : { reason: message }) }];
      }),
    );
    signal.throwIfAborted();
    return Object.fromEntries(outcomes);
  });
}

/** C-30: an agent whose call failed is checked again; one that fails that too is off for the rest of the run. */
export async function afterFailures(
  desk: Desk,
  table: SeatedTable,
  phase: string,
  replies: readonly Pick<Reply<JudgementName>, 'failures'>[],
): Promise<SeatedTable> {
  const { health } = table;
  const failures = replies.flatMap(({ failures }) => failures).filter(({ kind }) => speaksAgainst(kind));
  const suspects = agentsOf(desk).filter(
    (agent) => isUp(health, agent.id) && failures.some((failure) => failure.agent === agent.id),
  );
  if (suspects.length === 0) return table;
  const policy = rulesOf(desk.inputs).health;
  const probes = policy === 'after-one-lane' ? {} : await probeAgents(desk, `again after ${phase}`, suspects);
  let next = health;
  for (const { agent, message } of failures) {
    const reprobeHealthy = probes[agent]?.healthy;
    const failure = { agent, reason: message, ...(reprobeHealthy === undefined ? {} : { reprobeHealthy }) };
    next = afterLaneFailure(next, failure, policy);
  }
  const agents = agentsOf(desk);
  for (const agent of suspects.filter(({ id }) => !isUp(next, id))) {
    const replacement = replacementOf(agent.id, agents, next, desk.inputs);
    const reason = next.agents[agent.id]?.reason ?? 'no answer';
    desk.warn(lostAgentWarning(agentLabel(agent.id), reason, replacement));
  }
  await reportHealth(desk, next);
  return seat(desk, next, table.announced);
}

/** Seats of this role that stay empty although an agent was announced for them. */
export function noteAbsent(desk: Desk, { absent }: Pick<Table, 'absent'>, wanted: 'judge' | 'vote'): void {
  for (const { role, seat, planned } of absent)
    if (role === wanted)
      addLoss(desk.degraded, {
        ...{ role, seat, planned: planned.agent, actual: null },
        reason: planned.down ?? 'unavailable',
      });
}

function speaksAgainst(kind: LaneKind): boolean {
  return kind !== 'ok' && failurePolicies[kind].countsAgainstHealth;
}
