import type { FeatureDesk } from './desk.ts';
import type { FeatureImplementInputs } from './inputs.ts';
import { issueLines } from './records.ts';
import type { ImplementStep } from './rules/implement-loop.ts';

export type BreakerChoice = 'rerun' | 'forced' | 'stopped' | 'abandoned';

const choices: Readonly<Record<string, BreakerChoice>> = {
  'fix-and-rerun': 'rerun',
  'force-approve': 'forced',
  stop: 'stopped',
  abandon: 'abandoned',
};

/** T-129: a person decides what happens at the cap. Where nobody can be asked the run stops; it never approves by itself. */
export async function askBreaker(
  desk: FeatureDesk<FeatureImplementInputs>,
  { rounds, max, failed, open }: Extract<ImplementStep, { kind: 'circuit-breaker' }>,
  generation: number,
): Promise<BreakerChoice> {
  const who =
    failed.length === 0 ? 'there was no round left for everybody' : `${failed.join(', ')} did not pass`;
  desk.warn(`circuit breaker: after ${rounds} of ${max} rounds ${who}`);
  if (desk.inputs.autonomous) return 'stopped';
  const id = `circuit-breaker-${generation}`;
  const answers = await desk.context.ask([
    {
      id,
      text: `After ${rounds} of ${max} review rounds ${who}. What now?`,
      detail: issueLines(open).slice(0, 20).join('\n') || 'No issue is open.',
      options: [
        { value: 'fix-and-rerun', label: 'Fix what is open and review again, with new counters' },
        { value: 'force-approve', label: 'Take it as it is; what is open goes on record' },
        { value: 'stop', label: 'Stop; the work stays on its branch' },
        { value: 'abandon', label: 'Give the feature up' },
      ],
    },
  ]);
  return choices[answers.get(id)?.value ?? 'stop'] ?? 'stopped';
}
