import { type ArtifactKey, artifactKeys, artifacts } from '../../../prompts/artifacts.ts';
import type { FeatureMeta, MetaReading, PhaseMeta } from '../../../prompts/feature/meta.ts';
import { isPhase, modePhases, nextPhase, type Phase } from './phases.ts';
import { type Transition, transitionTo } from './transition.ts';
import { artifactValidity, type ValidityLevel } from './validity.ts';

export type PhaseState = 'completed' | 'carried-forward' | 'rejected' | 'started' | 'skipped' | 'open';

export type FeatureStatusReport = {
  feature: string;
  status: string;
  mode: string;
  lastCompletedPhase: string | null;
  next: { phase: Phase; transition: Transition } | null;
  phases: readonly {
    phase: Phase;
    state: PhaseState;
    iterations?: number;
  }[];
  artifacts: readonly { name: string; level: ValidityLevel; reason?: string }[];
  /** §2F: an earlier phase came again; what for, and where the way leads. */
  backward: { to?: string; reason?: string; returnTo: string } | null;
  problems: readonly string[];
};

/** Where a feature stands: its phases, how good its artifacts are, and what may come next. */
export function featureStatus(
  feature: string,
  { meta, problems }: MetaReading,
  texts: Readonly<Partial<Record<ArtifactKey, string>>>,
): FeatureStatusReport {
  const mode = meta.mode ?? 'standard';
  const last = meta.lastCompletedPhase;
  const next = last !== undefined && !isPhase(last) ? undefined : nextPhase(last as Phase | undefined, mode);
  // A brainstorm comes before there is a feature; once there is one, it begins with its specification.
  const first = next === 'brainstorm' ? 'specify' : next;
  return {
    feature,
    status: meta.status ?? 'unknown',
    mode,
    lastCompletedPhase: last ?? null,
    next: first === undefined ? null : { phase: first, transition: transitionTo({ to: first, meta, texts }) },
    phases: modePhases[mode].map((phase) => {
      const record = meta.phases[phase];
      const iterations = record?.iterations;
      return { phase, state: stateOf(phase), ...(iterations === undefined ? {} : { iterations }) };
    }),
    artifacts: artifactKeys.map((key) => ({
      name: artifacts[key].file,
      ...artifactValidity(key, texts[key]),
    })),
    backward: travelOf(meta),
    problems,
  };

  function stateOf(phase: Phase): PhaseState {
    const record = meta.phases[phase];
    if (record?.completed !== undefined) return isCarried(record) ? 'carried-forward' : 'completed';
    if (record?.started !== undefined) return record.outcome === 'rejected' ? 'rejected' : 'started';
    return meta.skippedPhases.some((skipped) => skipped.phase === phase) ? 'skipped' : 'open';
  }
}

/** A blocker among the notes is one that the phase ended with; earlier versions recorded nothing else. */
function isCarried({ outcome, reviewerNotes }: PhaseMeta): boolean {
  return outcome === 'carried-forward' || reviewerNotes.some(({ severity }) => severity === 'blocker');
}

function travelOf({ backwardReturnTarget, backwardContext }: FeatureMeta): FeatureStatusReport['backward'] {
  if (backwardReturnTarget === undefined) return null;
  const { targetPhase: to, reason } = backwardContext ?? {};
  return {
    ...(to === undefined ? {} : { to }),
    ...(reason === undefined ? {} : { reason }),
    returnTo: backwardReturnTarget,
  };
}
