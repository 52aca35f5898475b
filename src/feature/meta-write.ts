import { CharretteError } from '../errors.ts';
import type { FeatureMeta, MetaReading, ReviewerNote, SkippedPhase } from './meta.ts';
import { isPhase, type Phase } from './phases.ts';

export type NewFeature = {
  id: string;
  slug: string;
  mode: 'standard' | 'full' | 'light';
  /** ISO 8601. */
  created: string;
  branch?: string;
  brainstormSource?: string;
};

/** §2E: the state file of a feature that begins. */
export function newMeta({
  id,
  slug,
  mode,
  created,
  branch,
  brainstormSource,
}: NewFeature): Record<string, unknown> {
  return {
    id,
    slug,
    mode,
    status: 'active',
    created,
    completed: null,
    branch: branch ?? `feature/${id}-${slug}`,
    ...(brainstormSource === undefined ? {} : { brainstorm_source: brainstormSource }),
    lastCompletedPhase: null,
    skippedPhases: [],
    phases: {},
  };
}

/** A phase begins. */
export function withPhaseStarted(reading: MetaReading, phase: Phase, time: string): Record<string, unknown> {
  return withPhase(open(reading), phase, { started: time });
}

export type PhaseCompletion = { time: string; iterations: number; reviewerNotes: readonly ReviewerNote[] };

/** A phase is through; finishing also ends the feature. */
export function withPhaseCompleted(
  reading: MetaReading,
  phase: Phase,
  { time, iterations, reviewerNotes }: PhaseCompletion,
): Record<string, unknown> {
  const raw = withPhase(open(reading), phase, { completed: time, iterations, reviewerNotes });
  const ended = phase === 'finish' ? { status: 'completed', completed: time } : {};
  return { ...raw, lastCompletedPhase: phase, ...ended };
}

/** Phases that somebody chose to leave out. */
export function withSkipped(reading: MetaReading, skipped: readonly SkippedPhase[]): Record<string, unknown> {
  const raw = open(reading);
  return { ...raw, skippedPhases: [...reading.meta.skippedPhases, ...skipped] };
}

/** T-129: somebody gave the feature up. */
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

/** Terminal states do not change, and a file that could not be read is not overwritten. */
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
      message: `The feature is ${meta.status}; its state does not change any more.`,
    });
  }
  return { ...raw };
}

function isTerminal({ status }: FeatureMeta): boolean {
  return status === 'completed' || status === 'abandoned';
}

function withPhase(
  raw: Readonly<Record<string, unknown>>,
  phase: Phase,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (!isPhase(phase))
    throw new CharretteError({ code: 'internal', message: `${String(phase)} is no phase.` });
  const all = typeof raw['phases'] === 'object' && raw['phases'] !== null ? { ...raw['phases'] } : {};
  const earlier = phase in all ? (all as Record<string, unknown>)[phase] : {};
  const record = typeof earlier === 'object' && earlier !== null ? earlier : {};
  return { ...raw, phases: { ...all, [phase]: { ...record, ...change } } };
}
