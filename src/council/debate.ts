import type { NumberedDecision } from './decisions.ts';
import { type Availability, isUp } from './health.ts';

/** L-477 */
export const debateCap = 5;

/** One place in the debate rotation: who debates when its turn comes. */
export type Bucket = { label: string; agent: string };

/** `bucket`: both sides by one agent (L-479). `diagonal`: sides by different agents, one alone takes both (C-22). */
export type DebateLayout = 'bucket' | 'diagonal';

export type QueuedDebate = { decision: NumberedDecision; thesis: string; antithesis: string };
export type SkippedDebate = { decision: NumberedDecision; label: string };

export type DebatePlan = {
  queued: QueuedDebate[];
  skipped: SkippedDebate[];
  overCap: NumberedDecision[];
  cap: number;
  /** One line per agent that is away, not per decision (C-24). */
  warnings: string[];
};

export type DebateSettings = {
  buckets: readonly Bucket[];
  layout?: DebateLayout;
  cap?: number;
};

/**
 * Which decisions are debated, by whom (L-477…L-481). Nobody replaces an absent debater: the decision is skipped and the
 * synthesis stands. An empty `queued` means no launch, no collection, no judges.
 */
export function planDebates(
  decisions: readonly NumberedDecision[],
  availability: Availability<'debate'>,
  { buckets, layout = 'bucket', cap = debateCap }: DebateSettings,
): DebatePlan {
  const selected = decisions.slice(0, cap);
  const queued: QueuedDebate[] = [];
  const skipped: SkippedDebate[] = [];
  for (const decision of selected) {
    const sides =
      layout === 'bucket' ? oneBucket(decision, buckets) : twoBuckets(decision, buckets, availability);
    const absent = sides.find((bucket) => bucket === undefined || !isUp(availability, bucket.agent));
    const [thesis, antithesis] = sides;
    if (absent === undefined && thesis && antithesis) {
      queued.push({ decision, thesis: thesis.agent, antithesis: antithesis.agent });
    } else {
      skipped.push({ decision, label: absent?.label ?? 'No debater' });
    }
  }
  return { queued, skipped, overCap: decisions.slice(cap), cap, warnings: skipWarnings(skipped) };
}

/** C-24: the indices skipped for each label, in the order of the labels' first appearance. */
export function skippedByLabel(skipped: readonly SkippedDebate[]): Map<string, number[]> {
  const byLabel = new Map<string, number[]>();
  for (const { label, decision } of skipped) {
    byLabel.set(label, [...(byLabel.get(label) ?? []), decision.number]);
  }
  return byLabel;
}

type Sides = readonly [Bucket | undefined, Bucket | undefined];

function oneBucket(decision: NumberedDecision, buckets: readonly Bucket[]): Sides {
  const bucket = buckets[(decision.number - 1) % Math.max(buckets.length, 1)];
  return [bucket, bucket];
}

function twoBuckets(
  decision: NumberedDecision,
  buckets: readonly Bucket[],
  availability: Availability<'debate'>,
): Sides {
  const present = buckets.filter((bucket) => isUp(availability, bucket.agent));
  if (present.length === 0) return oneBucket(decision, buckets);
  const at = (offset: number) => present[(decision.number - 1 + offset) % present.length];
  return [at(0), at(1)];
}

function skipWarnings(skipped: readonly SkippedDebate[]): string[] {
  return [...skippedByLabel(skipped)].map(
    ([label, indices]) =>
      `**⚠ ${label} unavailable — dialectic skipped for bucket ${label} decisions (indices: ${indices.join(', ')}). Step 2a.4 synthesis decisions stand.**`,
  );
}
