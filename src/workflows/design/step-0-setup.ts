import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { failurePolicies } from '../../agents/failure-kinds.ts';
import type { Agent, LaneKind } from '../../agents/port.ts';
import { CharretteError } from '../../base/errors.ts';
import type { JudgementName } from '../../base/schema/judgements.ts';
import { defaultMaxHours } from '../../council/call/limits.ts';
import type { Reply } from '../../council/council.ts';
import {
  addLoss,
  afterLaneFailure,
  type Health,
  healthFrom,
  healthWarning,
  isUp,
  lostAgentWarning,
  type ProbeOutcome,
} from '../../council/health.ts';
import { ruleBasedMark } from '../../council/rule-based/wording.ts';
import {
  agentLabel,
  type Bucket,
  describeUnused,
  replacementOf,
  seatPanel,
  type Table,
  unseatedAgents,
} from '../../council/seating.ts';
import { askConsent } from '../permission.ts';
import { greetCaller, reportHealth } from './caller.ts';
import { describeEstimate } from './depth.ts';
import { type Desk, rulesOf, type SeatedTable } from './desk.ts';

/** Step 0: consent, a health check of every agent, the seats (L-100…L-129). */
export async function setup(desk: Desk): Promise<SeatedTable> {
  desk.begin('0');
  await askConsent(desk.context, desk.services.agents.values(), {
    consented: desk.inputs.consented,
    detail: [describeEstimate(desk.inputs.estimate), ...declaredPlaces(desk.inputs.roster)].join('\n'),
  });
  const agents = agentsOf(desk);
  // A check may take a minute, or three for an agent that does not start.
  if (desk.inputs.caller === undefined && !desk.inputs.subagent && !desk.isRuleBased)
    desk.note(`⏳ checking that ${agents.map(({ id }) => agentLabel(id)).join(', ')} can answer`);
  const knownDown = await greetCaller(desk);
  let probes = await probeAgents(desk, 'agents', agents, knownDown);
  for (let round = 1; await waitForQuota(desk, agents, probes, round); round += 1)
    probes = await probeAgents(desk, `agents after wait ${round}`, agents, knownDown);
  const health = healthFrom(probes);
  const up = agents.filter((agent) => isUp(health, agent.id));
  for (const agent of agents) {
    const state = health.agents[agent.id];
    const warning =
      state === undefined
        ? undefined
        : healthWarning(agentLabel(agent.id), state, replacementOf(agent.id, agents, health, desk.inputs));
    if (warning !== undefined) desk.warn(warning);
  }
  if (up.length === 0) {
    throw new CharretteError({
      code: 'agent-not-found',
      message: `None of the agents answers: ${agents.map(({ id }) => `${id} (${health.agents[id]?.reason ?? 'no answer'})`).join(', ')}.`,
      fix: 'Run `charrette doctor --probe`; log in where that is missing, or use `--agents static`.',
      retryable: true,
    });
  }
  if (up.every((agent) => agent.family === 'static'))
    desk.note(
      `${ruleBasedMark}: the scout searches the repository; sketches, debates and votes need a model`,
    );
  await reportHealth(desk, health);
  const isSmallerAccepted = await askDegraded(
    desk,
    agents.filter((agent) => !up.includes(agent)).map((agent) => agentLabel(agent.id)),
  );
  // What a caller knows to be down it does not expect.
  const expected = agents.filter(({ id }) => !knownDown.includes(id));
  const announced = (isSmallerAccepted ? up : expected).map(({ id }) => id);
  const table = seat(desk, health, announced);
  noteOneFamily(desk, table);
  const unused = unseatedAgents(agents, desk.inputs);
  if (unused.length > 0) desk.note(`⏳ ${describeUnused(unused)}`);
  await proposeLayout(desk, table.buckets);
  desk.end();
  return table;
}

/** C-22: with an empty debater's chair every second decision would go unargued; those who are there could take both sides. */
async function proposeLayout(desk: Desk, buckets: readonly Bucket[]): Promise<void> {
  const { debates, dialectic, sketches, auto } = desk.inputs;
  const present = buckets.filter(({ agent }) => agent !== '');
  if (debates === 'diagonal' || dialectic === 'off' || sketches === 0) return;
  if (present.length === 0 || present.length === buckets.length) return;
  const who = present.map(({ label }) => label).join(', ');
  if (auto) {
    desk.note(
      `⏳ only one debater is available: every second contested decision keeps the synthesis. With \`debates: diagonal\` in the configuration ${who} would argue both sides.`,
    );
    return;
  }
  const id = 'debate-layout';
  const answers = await desk.context.ask([
    {
      id,
      text: `Only one debater is available. Let ${who} argue both sides of every contested decision?`,
      options: [
        { value: 'diagonal', label: 'Yes: everything contested is argued' },
        { value: 'bucket', label: 'No: every second decision keeps the synthesis' },
      ],
      recommended: 'diagonal',
    },
  ]);
  if (answers.get(id)?.value === 'diagonal') desk.inputs.debates = 'diagonal';
}

/** A panel of one family gives no second opinion; warn before it starts. */
function noteOneFamily(desk: Desk, { reviewers, voters }: SeatedTable): void {
  if (reviewers.length === 0 || desk.isRuleBased) return;
  const families = [...reviewers, ...voters].flatMap(
    ({ planned }) => desk.services.agents.get(planned?.agent ?? '')?.family ?? [],
  );
  const [only, ...others] = new Set(families);
  if (only !== undefined && others.length === 0)
    desk.note(`⏳ one model family (${only}) reviews and votes; a second one would be a second opinion`);
}

/**
 * An empty chair is your choice: at a terminal you are asked once; with --auto the run continues with a note. Whether you accepted
 * the smaller panel yourself.
 */
async function askDegraded(desk: Desk, missing: readonly string[]): Promise<boolean> {
  if (missing.length === 0 || desk.inputs.auto) return false;
  const answers = await desk.context.ask([
    {
      id: 'degraded',
      text: `${missing.join(', ')} is unavailable. Continue with a smaller panel?`,
      options: [
        { value: 'continue', label: 'Continue; other agents fill the seats' },
        { value: 'stop', label: 'Stop, so that I can fix it' },
      ],
      recommended: 'continue',
    },
  ]);
  const answer = answers.get('degraded');
  if (answer?.value === 'continue') return answer.source !== 'recommended';
  throw new CharretteError({
    code: 'agent-not-found',
    message: `Stopped: ${missing.join(', ')} is unavailable.`,
    fix: 'Run `charrette doctor --probe` for the reason, then resume the run.',
  });
}

/** A command or address from the configuration decides who gets the login and the code, so it is shown unchanged. */
export function declaredPlaces(roster: Desk['inputs']['roster']): string[] {
  return roster.flatMap(({ id, command, baseUrl }) => [
    ...(command === undefined ? [] : [`${id} runs: ${command.join(' ')}`]),
    ...(baseUrl === undefined ? [] : [`${id} talks to: ${baseUrl}`]),
  ]);
}

/** The agents that may take a seat. The scout takes one only without any other agent. */
export function agentsOf({ services, isRuleBased }: Desk): Agent[] {
  return [...services.agents.values()].filter(({ family }) => isRuleBased || family !== 'static');
}

/** The panel that was asked for, filled with the agents that are up. */
export function seat(desk: Desk, health: Health, announced: string[]): SeatedTable {
  return { ...seatPanel(agentsOf(desk), health, desk.inputs, announced), health, announced };
}

/** L-510: a fresh health check, so that a slow debate keeps no agent from judging; its result stays in this phase. */
export async function freshJury(
  desk: Desk,
  announced: readonly string[],
): Promise<Pick<Table, 'judges' | 'absent'>> {
  const agents = agentsOf(desk);
  const health = healthFrom(await probeAgents(desk, 'judges', agents));
  return seatPanel(agents, health, desk.inputs, announced);
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
          usedUp,
        } = await agent.probe({
          signal,
          onEvent() {},
          laneDirectory,
          directory: desk.inputs.project,
        });
        return [
          agent.id,
          {
            ...{ available, healthy },
            ...(message === undefined ? {} : { reason: message }),
            ...(usedUp === undefined ? {} : { usedUp }),
          },
        ];
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
    const usedUp = probes[agent]?.usedUp !== undefined;
    const failure = {
      agent,
      reason: message,
      usedUp,
      ...(reprobeHealthy === undefined ? {} : { reprobeHealthy }),
    };
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
      addLoss(desk.context.degraded, {
        ...{ role, seat, planned: planned.agent, actual: null },
        reason: planned.down ?? 'unavailable',
      });
}

function speaksAgainst(kind: LaneKind): boolean {
  return kind !== 'ok' && failurePolicies[kind].countsAgainstHealth;
}

const hourMs = 3_600_000;
/** Programs name the reset to the minute; a call right at it would still be refused. */
const graceMs = 60_000;

/**
 * Decides what happens while accounts are used up (Q-020, Q-021): waits for the first reset, continues without them, or asks. True:
 * it waited, and the agents are to be checked again.
 */
async function waitForQuota(
  desk: Desk,
  agents: readonly Agent[],
  probes: Readonly<Record<string, ProbeOutcome>>,
  round: number,
): Promise<boolean> {
  const usedUp = agents.filter(({ id }) => probes[id]?.usedUp !== undefined);
  if (usedUp.length === 0) return false;
  const { onLimit = 'ask', maxWait = defaultMaxHours } = desk.inputs.quota ?? {};
  const others = agents.filter(({ id, family }) => probes[id]?.healthy === true && family !== 'static');
  const resets = usedUp.flatMap(({ id }) => probes[id]?.usedUp?.resetsAt ?? []);
  const until = resets.length === 0 ? undefined : Math.min(...resets) + graceMs;
  // One reading of the clock, kept: a replay must decide the same.
  const now = await desk.context.step(`quota ${round}`, async () => desk.context.clock.now());
  const canWait = until !== undefined && until - now <= maxWait * hourMs;
  const names = usedUp.map(({ title }) => title).join(', ');
  if (onLimit === 'stop') throw usedUpError(names, until);
  if (others.length > 0 && (onLimit === 'fallback' || (onLimit === 'ask' && desk.inputs.auto))) return false;
  const wait = async () => {
    if (until === undefined) return false;
    await desk.context.sleepUntil(until, `${names}: used up`);
    return true;
  };
  if (onLimit === 'wait' && canWait) return wait();
  // Nobody sees the questions of a run that is part of another.
  if (desk.services.mayAsk === false) throw usedUpError(names, until);
  const id = round === 1 ? 'quota' : `quota-${round}`;
  const answers = await desk.context.ask([
    {
      id,
      text: `${names}: the account is used up${until === undefined ? '' : ` until ${timeOf(until)}`}. What next?`,
      detail: usedUp.map(({ id: agent }) => `${agent}: ${probes[agent]?.reason ?? 'no answer'}`).join('\n'),
      options: [
        ...(canWait ? [{ value: 'wait', label: `Wait until ${timeOf(until)}` }] : []),
        ...(others.length > 0
          ? [{ value: 'continue', label: `Continue with ${others.map(({ title }) => title).join(', ')}` }]
          : []),
        ...(canWait ? [] : [{ value: 'again', label: 'Check again now' }]),
        { value: 'stop', label: 'Stop here' },
      ],
      ...(others.length > 0 ? { recommended: 'continue' } : {}),
    },
  ]);
  const answer = answers.get(id)?.value;
  if (answer === 'wait') return wait();
  if (answer === 'again') return true;
  if (answer === 'continue') return false;
  throw usedUpError(names, until);
}

function usedUpError(names: string, until: number | undefined): CharretteError {
  return new CharretteError({
    code: 'quota-used-up',
    message: `${names}: the account is used up${until === undefined ? '' : ` until ${timeOf(until)}`}.`,
  });
}

function timeOf(time: number): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}
