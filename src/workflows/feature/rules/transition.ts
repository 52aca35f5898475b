import { type ArtifactKey, artifacts } from '../../../prompts/artifacts.ts';
import type { FeatureMeta } from '../../../prompts/feature/meta.ts';
import { isTerminal } from './meta-write.ts';
import { isPhase, modePhases, needsOf, nextPhase, type Phase, phases } from './phases.ts';
import { artifactValidity } from './validity.ts';

export type Transition =
  | { kind: 'proceed' }
  /** Phases are left out; somebody has to agree, and they are recorded as skipped. */
  | { kind: 'warning'; skipped: readonly Phase[] }
  /** The phase was completed before. */
  | { kind: 'backward'; completed: Phase }
  /** T-… partial: started, not completed. */
  | { kind: 'partial'; started: string }
  | { kind: 'blocked'; reasons: readonly string[] }
  /** Nothing starts in a feature that has ended. */
  | { kind: 'over'; reason: string };

export type TransitionInput = {
  to: Phase;
  meta: FeatureMeta;
  /** Texts of the artifacts that can be read. */
  texts: Readonly<Partial<Record<ArtifactKey, string>>>;
  /** What is wrong with those that are there and cannot. */
  faults?: Readonly<Partial<Record<ArtifactKey, string>>>;
};

/** §2C: what entering a phase means for this feature. Hard prerequisites come before everything else. */
export function transitionTo({ to, meta, texts, faults = {} }: TransitionInput): Transition {
  if (isTerminal(meta)) return { kind: 'over', reason: `the feature is ${meta.status}` };
  const reasons = prerequisiteReasons(to, meta, texts, faults);
  if (reasons.length > 0) return { kind: 'blocked', reasons };
  const record = meta.phases[to];
  if (record?.started !== undefined && record.completed === undefined) {
    return { kind: 'partial', started: record.started };
  }
  const last = lastCompleted(meta);
  if (last !== undefined && phases.indexOf(to) <= phases.indexOf(last))
    return { kind: 'backward', completed: last };
  const skipped = skippedBetween(last, to, meta);
  return skipped.length === 0 ? { kind: 'proceed' } : { kind: 'warning', skipped };
}

function lastCompleted({ lastCompletedPhase }: FeatureMeta): Phase | undefined {
  return lastCompletedPhase !== undefined && isPhase(lastCompletedPhase) ? lastCompletedPhase : undefined;
}

/** lean/C-26: valid means the section of its kind is there. */
function prerequisiteReasons(
  to: Phase,
  { mode }: FeatureMeta,
  texts: TransitionInput['texts'],
  faults: NonNullable<TransitionInput['faults']>,
): string[] {
  return needsOf(to, mode).flatMap((key) => {
    const fault = faults[key];
    if (fault !== undefined) return [`${artifacts[key].file} is ${fault}`];
    const { level, reason } = artifactValidity(key, texts[key]);
    return level === 4 ? [] : [reason ?? `${artifacts[key].file} is not valid`];
  });
}

/** A brainstorm is never demanded: a feature may begin without one. */
function skippedBetween(last: Phase | undefined, to: Phase, { mode = 'standard' }: FeatureMeta): Phase[] {
  const order = modePhases[mode];
  const from = nextPhase(last, mode);
  if (from === undefined || !order.includes(to)) return [];
  return order.slice(order.indexOf(from), order.indexOf(to)).filter((phase) => phase !== 'brainstorm');
}
