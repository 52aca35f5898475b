import type { Agent } from '../../agents/port.ts';
import { CharretteError } from '../../base/errors.ts';
import type { ProbeOutcome } from '../../council/health.ts';
import type { Desk } from './desk.ts';

const hourMs = 3_600_000;
const defaultMaxHours = 6;
/** Programs name the reset to the minute; a call right at it would still be refused. */
const graceMs = 60_000;

/**
 * Decides what happens while accounts are used up (Q-020, Q-021): waits for the first reset, continues without them, or asks. True:
 * it waited, and the agents are to be checked again.
 */
export async function waitForQuota(
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
  if (others.length > 0 && (onLimit === 'fallback' || (onLimit === 'ask' && desk.inputs.auto))) return false;
  const wait = async () => {
    if (until === undefined) return false;
    desk.note(`⏳ ${names}: used up; the run sleeps until ${timeOf(until)}`);
    await desk.context.sleep(Math.max(0, until - now));
    return true;
  };
  if (onLimit === 'wait' && canWait) return wait();
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
  throw new CharretteError({
    code: 'quota-used-up',
    message: `${names}: the account is used up${until === undefined ? '' : ` until ${timeOf(until)}`}.`,
  });
}

function timeOf(time: number): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}
