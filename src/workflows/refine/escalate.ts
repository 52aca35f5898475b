import type { RefineDesk } from './desk.ts';
import type { Decision } from './rules/decide.ts';

export type Escalation = 'continue' | 'accept' | 'adjust' | 'switch' | 'stop';

const labels: Readonly<Record<Escalation, string>> = {
  continue: 'Go on',
  accept: 'Accept it as it is',
  adjust: 'Say what to change, then go on',
  switch: 'Stop and take the other path (import or code)',
  stop: 'Stop; the work stays on its branch',
};

/** Asks a person: when the loop has come to its end, or once on the way after so many failed iterations. */
export async function escalate(
  desk: RefineDesk,
  decision: Exclude<Decision, { kind: 'accept' }>,
  iteration: number,
  totals: readonly number[],
): Promise<{ choice: Escalation; wish?: string }> {
  const isEnd = decision.kind === 'escalate';
  const reason = !isEnd
    ? `${iteration} iterations have not passed`
    : decision.reason === 'stagnation'
      ? 'the last two iterations improved too little'
      : `all ${totals.length} iterations are used up`;
  const options: Escalation[] = isEnd
    ? ['accept', 'adjust', 'switch', 'stop']
    : ['continue', 'accept', 'adjust', 'switch', 'stop'];
  const id = `escalation-${iteration}`;
  const answers = await desk.context.ask([
    {
      id,
      text: `The page is not accepted: ${reason}. What now?`,
      detail: `Totals so far: ${totals.map((total) => total.toFixed(2)).join(', ')}. Pictures and findings are in the run's artifacts.`,
      options: options.map((value) => ({ value, label: labels[value] })),
      // Nobody but a person lowers the bar.
      recommended: isEnd ? 'stop' : 'continue',
    },
  ]);
  const choice = (answers.get(id)?.value ?? 'stop') as Escalation;
  if (choice !== 'adjust') return { choice };
  const wishId = `wish-${iteration}`;
  const wished = await desk.context.ask([{ id: wishId, text: 'What should change?' }]);
  return { choice, wish: wished.get(wishId)?.value ?? '' };
}
