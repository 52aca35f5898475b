import { CharretteError } from '../../../base/errors.ts';
import { isRecord } from '../../../base/safe-json.ts';
import type { BackwardRequest } from '../../../prompts/feature/archive.ts';
import type {
  FeatureMeta,
  Implementation,
  MetaReading,
  PhaseVerdict,
  ReviewerNote,
  SkippedPhase,
} from '../../../prompts/feature/meta.ts';
import { isPhase, modePhases, type Phase, phases } from './phases.ts';

export type NewFeature = {
  id: string;
  slug: string;
  mode: 'standard' | 'full' | 'light';
  /** ISO 8601. */
  created: string;
  brainstormSource?: string | undefined;
};

/** §2E: the state file of a new feature. */
export function newMeta({ id, slug, mode, created, brainstormSource }: NewFeature): Record<string, unknown> {
  return {
    id,
    slug,
    mode,
    status: 'active',
    created,
    completed: null,
    branch: `feature/${id}-${slug}`,
    brainstorm_source: brainstormSource,
    lastCompletedPhase: null,
    skippedPhases: [],
    phases: {},
  };
}

/** Starts a phase. */
export function withPhaseStarted(reading: MetaReading, phase: Phase, time: string): Record<string, unknown> {
  return withPhase(open(reading), phase, { started: time, outcome: undefined });
}

export type PhaseCompletion = {
  time: string;
  iterations: number;
  reviewerNotes: readonly ReviewerNote[];
  /** Absent when the reviewers approved. */
  outcome?: PhaseVerdict | undefined;
  /** Of the phase that writes code. */
  implementation?: Implementation;
};

/** The reviewers rejected a phase, and it was not completed. */
export function withPhaseRejected(reading: MetaReading, phase: Phase): Record<string, unknown> {
  return withPhase(open(reading), phase, { outcome: 'rejected' });
}

/** Completes a phase; the last one also completes the feature. */
export function withPhaseCompleted(
  reading: MetaReading,
  phase: Phase,
  { time, iterations, reviewerNotes, outcome, implementation }: PhaseCompletion,
): Record<string, unknown> {
  const raw = withPhase(open(reading), phase, { completed: time, iterations, reviewerNotes, outcome });
  const ended = phase === 'finish' ? { status: 'completed', completed: time } : {};
  return {
    ...withoutTravel(raw, reading.meta, phase),
    lastCompletedPhase: phase,
    ...(implementation && { implementation }),
    ...ended,
  };
}

/** The reason for going back is settled when its target is completed, the return when its starting point is. */
function withoutTravel(
  raw: Readonly<Record<string, unknown>>,
  { backwardContext, backwardReturnTarget }: FeatureMeta,
  phase: Phase,
): Record<string, unknown> {
  const { backward_context: context, backward_return_target: target, ...rest } = raw;
  return {
    ...rest,
    backward_context: backwardContext?.targetPhase === phase ? undefined : context,
    backward_return_target: backwardReturnTarget === phase ? undefined : target,
  };
}

export type Travel = { from: Phase; to: Phase; request: BackwardRequest; issues: number; time: string };

/** §2E, §2F: reopens an earlier phase and those between; nothing recorded is lost. */
export function withTravelBack(reading: MetaReading, travel: Travel): Record<string, unknown> {
  const { from, to, request, issues, time } = travel;
  const { meta } = reading;
  const reopened = phases.slice(phases.indexOf(to), phases.indexOf(from));
  const raw = reopened.reduce<Record<string, unknown>>(reopenPhase, open(reading));
  const before = modePhases[meta.mode ?? 'standard'].filter(
    (phase) => phase !== 'brainstorm' && phases.indexOf(phase) < phases.indexOf(to),
  );
  const trips = Array.isArray(raw['backward_trips']) ? raw['backward_trips'] : [];
  return {
    ...raw,
    lastCompletedPhase: before.at(-1) ?? null,
    backward_context: {
      source_phase: from,
      target_phase: to,
      reason: request.reason,
      findings: request.findings,
      downstream_impact: request.downstreamImpact,
    },
    backward_return_target: laterOf(meta.backwardReturnTarget, from),
    backward_trips: [...trips, { from, to, issues, time }],
  };
}

function reopenPhase(raw: Record<string, unknown>, phase: Phase): Record<string, unknown> {
  const all = isRecord(raw['phases']) ? raw['phases'] : {};
  const record = all[phase];
  if (!isRecord(record)) return raw;
  const { completed, completedAt, ...rest } = record;
  const before = completed ?? completedAt;
  if (before === undefined) return raw;
  return { ...raw, phases: { ...all, [phase]: { ...rest, completedBefore: before } } };
}

/** Going back on the way to a later phase does not change that target. */
function laterOf(target: string | undefined, from: Phase): Phase {
  if (target === undefined || !isPhase(target)) return from;
  return phases.indexOf(target) > phases.indexOf(from) ? target : from;
}

/** Phases that you chose to skip. */
export function withSkipped(reading: MetaReading, skipped: readonly SkippedPhase[]): Record<string, unknown> {
  const raw = open(reading);
  return { ...raw, skippedPhases: [...reading.meta.skippedPhases, ...skipped] };
}

/** T-129: you abandoned the feature. */
export function withAbandoned(reading: MetaReading, time: string): Record<string, unknown> {
  return { ...open(reading), status: 'abandoned', completed: time };
}

/** T-116: why sessions are not continued in this feature. */
export function withResumeDeferred(reading: MetaReading, reason: string): Record<string, unknown> {
  return { ...open(reading), r1_deferred_reason: reason };
}

/** The bytes of a state file. */
export function serializeMeta(raw: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(raw, null, 2)}\n`;
}

/** Terminal states do not change, and an unreadable file is not overwritten. */
function open({ meta, raw, problems }: MetaReading): Record<string, unknown> {
  const broken = problems.find((problem) => /not valid JSON|does not hold|cannot be read/.test(problem));
  if (broken !== undefined) {
    throw new CharretteError({
      code: 'json-invalid',
      message: `The state of the feature cannot be changed: ${broken}.`,
      fix: 'Repair .meta.json first; nothing was written.',
    });
  }
  if (isTerminal(meta)) {
    throw new CharretteError({
      code: 'usage',
      message: `The feature is ${meta.status}; its state cannot change.`,
    });
  }
  return { ...raw };
}

export function isTerminal({ status }: FeatureMeta): boolean {
  return status === 'completed' || status === 'abandoned';
}

function withPhase(
  raw: Readonly<Record<string, unknown>>,
  phase: Phase,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const all = isRecord(raw['phases']) ? raw['phases'] : {};
  const record = isRecord(all[phase]) ? all[phase] : {};
  return { ...raw, phases: { ...all, [phase]: { ...record, ...change } } };
}
