import type { BackwardWish } from '../../../prompts/feature/archive.ts';
import type { FeatureMeta } from '../../../prompts/feature/meta.ts';
import type { GateResult } from './gate.ts';
import { modePhases, type Phase, phases, phaseTable } from './phases.ts';

export type BackwardDecision =
  | { kind: 'none' }
  /** It is said that the wish was not followed, and why. */
  | { kind: 'ignored'; reason: string }
  | { kind: 'ask'; to: Phase };

const names: Readonly<Record<string, Phase>> = {
  spec: 'specify',
  specification: 'specify',
  plan: 'plan',
  tasks: 'tasks',
};

/** §2F: so many travels between two phases need no proof that they help. */
const freeTrips = 2;

export type BackwardQuestion = {
  from: Phase;
  wish: BackwardWish | undefined;
  result: GateResult;
  meta: Pick<FeatureMeta, 'mode' | 'backwardTrips'>;
};

/** §2F: whether a travel back is worth a question. Two phases that send each other work without getting anywhere are parted. */
export function decideBackward({ from, wish, result, meta }: BackwardQuestion): BackwardDecision {
  if (wish === undefined) return { kind: 'none' };
  if (result.gate === 'pass') return { kind: 'ignored', reason: 'the gate passed' };
  const to = earlierPhase(wish.to, from, meta.mode);
  if (to === undefined) return { kind: 'ignored', reason: `${wish.to} is no earlier phase with a document` };
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
export function backwardIssues({ reason, findings }: Pick<BackwardWish, 'reason' | 'findings'>): string[] {
  const lines = findings.map(({ issue, artifact, section, suggestion }) => {
    const place = [artifact, section].filter((word) => word !== undefined).join(', ');
    const at = place === '' ? '' : ` (at: ${place})`;
    return `[blocker] ${issue}${at}${suggestion === undefined ? '' : ` Suggestion: ${suggestion}`}`;
  });
  return lines.length > 0 || reason === undefined ? lines : [`[blocker] ${reason}`];
}
