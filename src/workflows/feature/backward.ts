import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { sideFiles } from '../../prompts/artifacts.ts';
import type { BackwardRequest } from '../../prompts/feature/archive.ts';
import { type FeatureMeta, readMeta } from '../../prompts/feature/meta.ts';
import { changeState } from './records.ts';
import type { GateResult } from './rules/gate.ts';
import { withTravelBack } from './rules/meta-write.ts';
import { modePhases, type Phase, phases, phaseTable } from './rules/phases.ts';
import type { ReviewAnswer } from './rules/review-answer.ts';
import type { FeatureRun } from './run.ts';

/**
 * §2F: a reviewer finds the fault in an earlier phase. You decide whether to go back, or the recommendation does when the run is unattended;
 * the state then goes back and this run ends. Undefined: the phase continues.
 */
export async function goBack(
  run: FeatureRun,
  label: string,
  { answer: { backward: request }, result }: { answer: ReviewAnswer; result: GateResult },
): Promise<Phase | undefined> {
  if (request === undefined) return undefined;
  const { phase: from, directory } = run.inputs;
  const meta = await run.once(`travels before ${label}`, async () => {
    const state = await readTextFile(path.join(directory, sideFiles.state));
    const { mode, backwardTrips } = readMeta(state).meta;
    return { backwardTrips, mode };
  });
  const decision = decideBackward({ from, request, result, meta });
  const why = request.reason === undefined ? '' : `: ${request.reason.slice(0, 300)}`;
  run.warn(`${label}: wants to go back to ${request.to}${why}`);
  if (decision.kind === 'ignored') {
    run.warn(`${label}: ${from} continues; ${decision.reason}`);
    return undefined;
  }
  const { to } = decision;
  const id = `backward-${label.replace(/[^a-z0-9.]+/gi, '-')}`;
  const answers = await run.context.ask([
    {
      id,
      text: `A reviewer of ${from} finds the fault in ${to}. Go back?`,
      detail: backwardIssues(request).slice(0, 20).join('\n') || (request.reason ?? 'No reason was given.'),
      options: [
        { value: 'back', label: `Go back to ${to} and repeat the phases from there` },
        { value: 'stay', label: `Stay in ${from} and resolve what can be resolved here` },
      ],
      recommended: 'back',
    },
  ]);
  if (answers.get(id)?.value !== 'back') return undefined;
  await changeState(run, `travel ${label}`, (reading, time) =>
    withTravelBack(reading, { from, to, request, issues: result.open.length, time }),
  );
  return to;
}

/** The run is over; the feature continues with the earlier phase. */
export function reportBack(run: FeatureRun, to: Phase, more = ''): Promise<Outcome> {
  const { phase } = run.inputs;
  const commands = phases
    .slice(phases.indexOf(to), phases.indexOf(phase) + 1)
    .map((each) => `\`charrette feature ${each}\``);
  const [first, ...rest] = commands;
  const text = `${phase}: goes back to ${to}\nRun ${first}, then ${rest.join(', ')}.${more}`;
  return run.end(text, false);
}

export type BackwardDecision =
  /** The request is reported as not followed. */
  { kind: 'ignored'; reason: string } | { kind: 'ask'; to: Phase };

const names: Readonly<Record<string, Phase>> = {
  spec: 'specify',
  specification: 'specify',
  plan: 'plan',
  tasks: 'tasks',
};

/** §2F: this many returns between two phases need no proof that they help. */
const freeTrips = 2;

export type BackwardQuestion = {
  from: Phase;
  request: BackwardRequest;
  result: GateResult;
  meta: Pick<FeatureMeta, 'mode' | 'backwardTrips'>;
};

/** §2F: whether going back is worth a question. Two phases that return work to each other without progress are stopped. */
export function decideBackward({ from, request, result, meta }: BackwardQuestion): BackwardDecision {
  if (result.gate === 'pass') return { kind: 'ignored', reason: 'the gate passed' };
  const to = earlierPhase(request.to, from, meta.mode);
  if (to === undefined)
    return { kind: 'ignored', reason: `${request.to} is not an earlier phase with a document` };
  const trips = meta.backwardTrips.filter((trip) => trip.from === from && trip.to === to);
  const last = trips.at(-1);
  if (trips.length >= freeTrips && last !== undefined && result.open.length >= last.issues) {
    const issues = `${last.issues} issues then, ${result.open.length} now`;
    return { kind: 'ignored', reason: `${trips.length} travels to ${to} have not helped (${issues})` };
  }
  return { kind: 'ask', to };
}

function earlierPhase(word: string, from: Phase, mode: FeatureMeta['mode'] = 'standard'): Phase | undefined {
  const lowered = word.toLowerCase().replace(/\.md$/, '');
  const named = Object.hasOwn(names, lowered) ? names[lowered] : undefined;
  const phase = named ?? modePhases[mode].find((candidate) => candidate === lowered);
  if (phase === undefined || phase === 'brainstorm' || phaseTable[phase].produces === undefined)
    return undefined;
  return modePhases[mode].includes(phase) && phases.indexOf(phase) < phases.indexOf(from) ? phase : undefined;
}

/** What the author of the earlier document has to resolve, one line each. */
export function backwardIssues({ reason, findings }: Pick<BackwardRequest, 'reason' | 'findings'>): string[] {
  const lines = findings.map(({ issue, artifact, section, suggestion }) => {
    const place = [artifact, section].filter((word) => word !== undefined).join(', ');
    const at = place === '' ? '' : ` (at: ${place})`;
    return `[blocker] ${issue}${at}${suggestion === undefined ? '' : ` Suggestion: ${suggestion}`}`;
  });
  return lines.length > 0 || reason === undefined ? lines : [`[blocker] ${reason}`];
}
