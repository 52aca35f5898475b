import { setTimeout as sleep } from 'node:timers/promises';
import { CharretteError } from '../../base/errors.ts';
import type { Question } from '../../engine/question.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import type { Caller, CallServices } from './once.ts';

/** What happens when an account is used up (Q-020); `maxWaitHours` bounds all waits for one call together. */
export type LimitRule = { onLimit: 'ask' | 'wait' | 'fallback' | 'stop'; maxWaitHours: number };

/** A call that has no answer because accounts are used up. */
export type LostCall = {
  key: string;
  label: string;
  /** The agent whose account it was, and when that may be called again. */
  agent: string;
  until?: number | undefined;
  /** All agents of the call that are used up, of earlier rounds too. */
  usedUp: readonly string[];
  /** Agents that must not take it: each of them votes or judges itself. */
  barred?: readonly string[];
  /** The author replaces a seat only after other failures (Q-023). */
  standIn?: string | undefined;
  /** Others were asked with it, so the round continues without it. */
  mayStayEmpty: boolean;
};

/** Ask again, with these agents where they are named; or leave the seat without an answer. */
export type LimitDecision = { kind: 'again'; agents?: readonly string[] } | { kind: 'leave' };

type Choice = { kind: 'wait'; until: number } | LimitDecision;

/** How long a run waits for resets at most, unless the configuration says otherwise. */
export const defaultMaxHours = 6;
const hourMs = 3_600_000;
const mostOffered = 3;
/** Timers stop while a machine sleeps. */
const tickMs = 5000;

/** What was decided for an agent holds until its account resets; a replay decides it again in the same order. */
const decided = new WeakMap<WorkflowContext, Map<string, { choice: LimitDecision; until: number }>>();

/** When the first limit of a call was met: waits are counted from there. */
export type LimitClock = { since?: number };

/**
 * Decides what becomes of calls on used-up accounts, one account after the other, once all calls of a round have ended (Q-020 to
 * Q-023). The rule and the time are journaled: a replay must decide the same under another configuration.
 */
export async function settleLimits(
  { context, services }: { context: WorkflowContext; services: CallServices },
  lost: readonly LostCall[],
  round: number,
  clock: LimitClock,
): Promise<LimitDecision[]> {
  const { live } = context;
  const [first] = lost;
  if (first === undefined) return [];
  const { now, rule } = await context.step(`limit ${first.key} ${round}`, async () => ({
    now: live.clock.now(),
    rule: services.limitRule ?? { onLimit: 'fallback' as const, maxWaitHours: defaultMaxHours },
  }));
  clock.since ??= now;
  const choices = new Map<string, Choice>();
  const usedUp = new Set(lost.flatMap((each) => each.usedUp));
  for (const agent of new Set(lost.map((each) => each.agent))) {
    const calls = lost.filter((each) => each.agent === agent);
    const at = { now, since: clock.since, rule, round, usedUp };
    choices.set(agent, await decide({ context, services }, calls, at));
  }
  const waits = [...choices].flatMap(([agent, choice]) =>
    choice.kind === 'wait' ? [{ agent, ...choice }] : [],
  );
  if (waits.length > 0)
    await context.sleepUntil(
      Math.max(...waits.map(({ until }) => until)),
      `${waits.map(({ agent }) => titleOf(services, agent)).join(', ')}: used up`,
    );
  return lost.map(({ agent }) => {
    const choice = choices.get(agent);
    return choice === undefined || choice.kind === 'wait' ? { kind: 'again' } : choice;
  });
}

async function decide(
  { context, services }: { context: WorkflowContext; services: CallServices },
  calls: readonly LostCall[],
  {
    now,
    since,
    rule,
    round,
    usedUp,
  }: { now: number; since: number; rule: LimitRule; round: number; usedUp: ReadonlySet<string> },
): Promise<Choice> {
  const [first] = calls;
  if (first === undefined) return { kind: 'leave' };
  const { agent } = first;
  const known = decided.get(context)?.get(agent);
  const isOpen = known?.choice.kind !== 'again' || known.choice.agents?.some((id) => !usedUp.has(id));
  if (known !== undefined && now < known.until && isOpen) return known.choice;
  const until = Math.max(...calls.map((each) => each.until ?? 0));
  const canWait = until > 0 && until - since <= rule.maxWaitHours * hourMs;
  const others = [...services.agents.values()].filter(
    ({ id, family }) =>
      family !== 'static' &&
      !usedUp.has(id) &&
      calls.every(({ standIn, barred = [] }) => standIn !== id && !barred.includes(id)),
  );
  if (rule.onLimit === 'wait' && canWait) return { kind: 'wait', until };
  if (rule.onLimit === 'fallback' && (others.length > 0 || first.mayStayEmpty)) return { kind: 'leave' };
  const who = `${titleOf(services, agent)}: the account is used up${until > 0 ? ` until ${timeOf(until)}` : ''}`;
  if (rule.onLimit === 'stop' || services.mayAsk === false) throw usedUpError(who);
  const question: Question = {
    id: `limit-${first.key}${round === 1 ? '' : `-${round}`}`,
    text: `${who}. What next?`,
    detail: `Without an answer: ${calls.map(({ label }) => label).join(', ')}.`,
    options: [
      ...(canWait ? [{ value: 'wait', label: `Wait until ${timeOf(until)}` }] : []),
      ...others.slice(0, mostOffered).map(({ id, title }) => ({
        value: `use-${id}`,
        label: `Let ${title === id ? id : `${title} (${id})`} take ${calls.length === 1 ? 'this seat' : 'these seats'}`,
      })),
      ...(first.mayStayEmpty
        ? [{ value: 'empty', label: calls.length === 1 ? 'Leave it empty' : 'Leave them empty' }]
        : []),
      ...(canWait ? [] : [{ value: 'again', label: 'Try again now' }]),
      { value: 'stop', label: 'Stop here' },
    ],
    ...(others[0] === undefined ? {} : { recommended: `use-${others[0].id}` }),
  };
  const answer = (await context.ask([question])).get(question.id)?.value ?? 'stop';
  if (answer === 'wait') return { kind: 'wait', until };
  if (answer === 'again') return { kind: 'again' };
  if (answer === 'stop') throw usedUpError(who);
  const choice: LimitDecision =
    answer === 'empty' ? { kind: 'leave' } : { kind: 'again', agents: [answer.slice('use-'.length)] };
  const all = decided.get(context) ?? new Map();
  decided.set(context, all.set(agent, { choice, until }));
  return choice;
}

/** Waits inside a step; a killed step finds the account still used up and waits for the rest. */
export async function waitUntil(
  until: number,
  { live, signal }: Pick<Caller, 'live' | 'signal'>,
): Promise<void> {
  for (let left = until - live.clock.now(); left > 0; left = until - live.clock.now())
    await sleep(Math.min(left, tickMs), undefined, { signal });
}

function usedUpError(who: string): CharretteError {
  return new CharretteError({ code: 'quota-used-up', message: `${who}.` });
}

function titleOf({ agents }: CallServices, id: string): string {
  return agents.get(id)?.title ?? id;
}

function timeOf(time: number): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}
