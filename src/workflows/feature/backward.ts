import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { sideFiles } from '../../prompts/artifacts.ts';
import { readMeta } from '../../prompts/feature/meta.ts';
import type { FeatureDesk } from './desk.ts';
import { changeState } from './records.ts';
import { backwardIssues, decideBackward } from './rules/backward.ts';
import type { GateResult } from './rules/gate.ts';
import { withTravelBack } from './rules/meta-write.ts';
import { type Phase, phases } from './rules/phases.ts';
import type { ReviewAnswer } from './rules/review-answer.ts';

/** How the phases are called on the command line. */
const commandWords: Readonly<Partial<Record<Phase, string>>> = {
  plan: 'plan',
  tasks: 'tasks',
};

export function commandOf(phase: Phase): string {
  return `charrette feature ${commandWords[phase] ?? phase}`;
}

/**
 * §2F: a reviewer says that an earlier phase is at fault. A person decides, or the recommendation where nobody is asked; the
 * state then goes back and this run ends. Absent: the phase goes on.
 */
export async function travelBack(
  desk: FeatureDesk,
  label: string,
  { answer, result }: { answer: ReviewAnswer; result: GateResult },
): Promise<Phase | undefined> {
  const { inputs } = desk;
  const { backward: wish } = answer;
  if (wish === undefined) return undefined;
  const meta = await desk.once(`travels before ${label}`, async () => {
    const state = await readTextFile(path.join(inputs.directory, sideFiles.state));
    const { mode, backwardTrips } = readMeta(state).meta;
    return { backwardTrips, ...(mode === undefined ? {} : { mode }) };
  });
  const decision = decideBackward({ from: inputs.phase, wish, result, meta });
  if (decision.kind === 'none') return undefined;
  const why = wish.reason === undefined ? '' : `: ${wish.reason.slice(0, 300)}`;
  desk.warn(`${label}: wants to go back to ${wish.to}${why}`);
  if (decision.kind === 'ignored') {
    desk.warn(`${label}: ${inputs.phase} goes on; ${decision.reason}`);
    return undefined;
  }
  const { to } = decision;
  const id = `backward-${label.replace(/[^a-z0-9.]+/gi, '-')}`;
  const answers = await desk.context.ask([
    {
      id,
      text: `A reviewer of ${inputs.phase} finds the fault in ${to}. Go back?`,
      detail: backwardIssues(wish).slice(0, 20).join('\n') || (wish.reason ?? 'No reason was given.'),
      options: [
        { value: 'back', label: `Go back to ${to} and come again from there` },
        { value: 'stay', label: `Stay in ${inputs.phase} and resolve what can be resolved here` },
      ],
      recommended: 'back',
    },
  ]);
  if (answers.get(id)?.value !== 'back') return undefined;
  await changeState(desk, `travel ${label}`, (reading, time) =>
    withTravelBack(reading, { from: inputs.phase, to, wish, issues: result.open.length, time }),
  );
  return to;
}

/** The run is over, the feature is not: it goes on with the earlier phase. */
export async function wentBack(desk: FeatureDesk, to: Phase, more = ''): Promise<Outcome> {
  const { phase } = desk.inputs;
  const again = phases.slice(phases.indexOf(to) + 1, phases.indexOf(phase) + 1).map(commandOf);
  const text = `${phase}: goes back to ${to}\nGo on with \`${commandOf(to)}\`, then ${again.map((words) => `\`${words}\``).join(', ')}.${more}`;
  await desk.context.artifact('phase-outcome.md', `${text}\n`);
  desk.context.emit({ type: 'body', heading: `Phase ${phase}`, text });
  return { status: 'not-accepted', exit: 6, message: text };
}
