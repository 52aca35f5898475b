import { outline } from '../../../base/markdown/sections.ts';
import { type ArtifactKey, artifactKeys, artifacts } from '../../../prompts/artifacts.ts';
import type { FeatureMeta, MetaReading, PhaseMeta } from '../../../prompts/feature/meta.ts';
import { isTerminal } from './meta-write.ts';
import { isPhase, modePhases, needsOf, nextPhase, type Phase, phases } from './phases.ts';

export type PhaseState = 'completed' | 'carried-forward' | 'rejected' | 'started' | 'skipped' | 'open';

export type FeatureStatusReport = {
  feature: string;
  status: string;
  mode: string;
  lastCompletedPhase: string | null;
  next: { phase: Phase; transition: Transition } | null;
  phases: readonly { phase: Phase; state: PhaseState; iterations?: number | undefined }[];
  artifacts: readonly { name: string; level: ValidityLevel; reason?: string }[];
  /** §2F: an earlier phase is repeated: why, and which phase follows it in the end. */
  backward: { to?: string; reason?: string; returnTo: string } | null;
  problems: readonly string[];
};

/** The status of a feature: its phases, how good its artifacts are, and what may come next. */
export function featureStatus(
  feature: string,
  { meta, problems }: MetaReading,
  texts: Readonly<Partial<Record<ArtifactKey, string>>>,
): FeatureStatusReport {
  const mode = meta.mode ?? 'standard';
  const last = meta.lastCompletedPhase;
  const next = last !== undefined && !isPhase(last) ? undefined : nextPhase(last as Phase | undefined, mode);
  // A brainstorm comes before a feature exists; a feature begins with its specification.
  const first = next === 'brainstorm' ? 'specify' : next;
  return {
    feature,
    status: meta.status ?? 'unknown',
    mode,
    lastCompletedPhase: last ?? null,
    next: first === undefined ? null : { phase: first, transition: transitionTo({ to: first, meta, texts }) },
    phases: modePhases[mode].map((phase) => ({
      phase,
      state: stateOf(phase),
      iterations: meta.phases[phase]?.iterations,
    })),
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

/** Earlier versions recorded only the notes; a blocker among them was open at the end. */
function isCarried({ outcome, reviewerNotes }: PhaseMeta): boolean {
  return outcome === 'carried-forward' || reviewerNotes.some(({ severity }) => severity === 'blocker');
}

function travelOf({ backwardReturnTarget, backwardContext }: FeatureMeta): FeatureStatusReport['backward'] {
  if (backwardReturnTarget === undefined) return null;
  const { targetPhase: to, reason } = backwardContext ?? {};
  return { to, reason, returnTo: backwardReturnTarget };
}

export type Transition =
  | { kind: 'proceed' }
  /** Phases are skipped; you have to agree, and they are recorded. */
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
  /** What is wrong with those that exist and cannot. */
  faults?: Readonly<Partial<Record<ArtifactKey, string>>>;
};

/** §2C: what entering a phase means for this feature. Hard prerequisites come before everything else. */
export function transitionTo({ to, meta, texts, faults = {} }: TransitionInput): Transition {
  if (isTerminal(meta)) return { kind: 'over', reason: `the feature is ${meta.status}` };
  // lean/C-26: valid means that the section of its kind exists.
  const reasons = needsOf(to, meta.mode).flatMap((key) => {
    const fault = faults[key];
    if (fault !== undefined) return [`${artifacts[key].file} is ${fault}`];
    return artifactValidity(key, texts[key]).reason ?? [];
  });
  if (reasons.length > 0) return { kind: 'blocked', reasons };
  const record = meta.phases[to];
  if (record?.started !== undefined && record.completed === undefined)
    return { kind: 'partial', started: record.started };
  const { lastCompletedPhase = '' } = meta;
  const last = isPhase(lastCompletedPhase) ? lastCompletedPhase : undefined;
  if (last !== undefined && phases.indexOf(to) <= phases.indexOf(last))
    return { kind: 'backward', completed: last };
  const skipped = skippedBetween(last, to, meta);
  return skipped.length === 0 ? { kind: 'proceed' } : { kind: 'warning', skipped };
}

/** A brainstorm is never required. */
function skippedBetween(last: Phase | undefined, to: Phase, { mode = 'standard' }: FeatureMeta): Phase[] {
  const order = modePhases[mode];
  const from = nextPhase(last, mode);
  if (from === undefined || !order.includes(to)) return [];
  return order.slice(order.indexOf(from), order.indexOf(to)).filter((phase) => phase !== 'brainstorm');
}

/** §2C: how good an artifact is: 0 missing, 1 exists, 2 long enough, 3 has a section, 4 has the section of its kind. */
export type ValidityLevel = 0 | 1 | 2 | 3 | 4;

export type Validity = { level: ValidityLevel; reason?: string };

/** lean/C-26: a hundred bytes are enough. */
const minBytes = 100;

/** One of these must be a heading, or begin one. */
const sections: Readonly<Record<ArtifactKey, readonly string[]>> = {
  prd: [],
  spec: ['## Success Criteria', '## Acceptance Criteria'],
  design: ['## Components', '## Architecture'],
  plan: ['## Implementation Order', '## Phase'],
  tasks: ['## Phase', '### Task'],
};

/** Judges an artifact by its text; `undefined` is a missing file. Headings in code do not count. */
export function artifactValidity(key: ArtifactKey, text: string | undefined): Validity {
  if (text === undefined) return { level: 0, reason: `${key}.md is missing` };
  const bytes = Buffer.byteLength(text);
  if (bytes < minBytes)
    return { level: 1, reason: `${key}.md has ${bytes} bytes; at least ${minBytes} are expected` };
  const headings = outline(text).map(({ level, title }) => `${'#'.repeat(level)} ${title}`);
  if (!headings.some((heading) => heading.startsWith('## ')))
    return { level: 2, reason: `${key}.md has no \`## \` section` };
  const wanted = sections[key];
  const found = wanted.some((words) => headings.some((heading) => beginsWith(heading, words)));
  if (wanted.length === 0 || found) return { level: 4 };
  return { level: 3, reason: `${key}.md has no ${wanted.map((words) => `\`${words}\``).join(' or ')}` };
}

function beginsWith(heading: string, words: string): boolean {
  const isStart = heading.toLowerCase().startsWith(words.toLowerCase());
  return isStart && !/[a-z]/i.test(heading.charAt(words.length));
}
