import type { Synthesis } from '../base/schema/judgements/design.ts';
import type { Commission } from '../prompts/panel/common.ts';
import { debatePrompt } from '../prompts/panel/debate.ts';
import type { Call, Council, Reply } from './council.ts';
import { decisionId, type NumberedDecision } from './decisions.ts';
import {
  bodies,
  checkEligibility,
  type DefenceBodies,
  debateLaneWarning,
  defenceReading,
  type IneligibleReason,
  quorumWarning,
  renderDefence,
} from './defence.ts';
import { agentLabel, type Bucket } from './seating.ts';
import { renderSynthesis } from './sketch.ts';

/** L-477 */
export const debateCap = 5;

/** `bucket`: both sides by one agent (L-479). `diagonal`: sides by different agents, one alone takes both (C-22). */
export type DebateLayout = 'bucket' | 'diagonal';

export type QueuedDebate = { decision: NumberedDecision; thesis: string; antithesis: string };
export type SkippedDebate = { decision: NumberedDecision; label: string };

/** What became of a contested decision before any judge saw it; only what was heard from both sides is judged. */
export type Debate =
  | HeardDebate
  | {
      kind: 'ineligible';
      decision: NumberedDecision;
      reason: IneligibleReason;
      defences?: Partial<Record<'thesis' | 'antithesis', DefenceBodies>>;
    }
  | ({ kind: 'skipped' } & SkippedDebate)
  | { kind: 'over-cap'; decision: NumberedDecision; cap: number }
  | { kind: 'off'; decision: NumberedDecision };

export type HeardDebate = {
  kind: 'heard';
  decision: NumberedDecision;
  thesis: DefenceBodies;
  antithesis: DefenceBodies;
};

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
 * Chooses which decisions are debated, and by whom (L-477…L-481). No agent replaces an absent debater: its decisions are
 * skipped and keep the choice of the synthesis. An empty `queued` means no launch, no collection, no judges.
 */
export function planDebates(
  decisions: readonly NumberedDecision[],
  { buckets, layout = 'bucket', cap = debateCap }: DebateSettings,
): DebatePlan {
  const selected = decisions.slice(0, cap);
  const queued: QueuedDebate[] = [];
  const skipped: SkippedDebate[] = [];
  for (const decision of selected) {
    const sides = layout === 'bucket' ? oneBucket(decision, buckets) : twoBuckets(decision, buckets);
    const absent = sides.find((bucket) => bucket === undefined || bucket.agent === '');
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

function twoBuckets(decision: NumberedDecision, buckets: readonly Bucket[]): Sides {
  const present = buckets.filter(({ agent }) => agent !== '');
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

/** What both sides of every debate get. */
export type DebateBrief = { commission: Commission; synthesis: Synthesis | undefined };

/** Step 2a.5, the debates: only what is contested is argued, all sides in parallel (L-477…L-503). */
export async function debate(council: Council, plan: DebatePlan, brief: DebateBrief): Promise<Debate[]> {
  for (const warning of plan.warnings) council.warn(warning);
  return [
    ...(await argue(council, plan.queued, brief)),
    ...plan.skipped.map((skipped): Debate => ({ kind: 'skipped', ...skipped })),
    ...plan.overCap.map((decision): Debate => ({ kind: 'over-cap', decision, cap: plan.cap })),
  ];
}

const sides = ['thesis', 'antithesis'] as const;

async function argue(
  council: Council,
  queued: readonly QueuedDebate[],
  brief: DebateBrief,
): Promise<Debate[]> {
  if (queued.length === 0) return [];
  const calls = queued.flatMap((each) => sides.map((side) => callFor(each, side, brief)));
  const replies = await council.ask('debate', calls);
  await council.checkTree('dialectic-debate-collection');
  const debates: Debate[] = [];
  for (const [index, { decision, ...agents }] of queued.entries()) {
    const [thesis, antithesis] = [replies[2 * index], replies[2 * index + 1]];
    for (const [side, reply] of [['thesis', thesis] as const, ['antithesis', antithesis] as const]) {
      const { number } = decision;
      if (reply?.value !== undefined)
        await council.artifact(`debate-${number}-${agents[side]}-${side}.txt`, renderDefence(reply.value));
      else
        council.warn(
          debateLaneWarning(agentLabel(agents[side]), number, side, reply?.message ?? 'no answer'),
        );
    }
    const answers = { thesis: spoken(thesis), antithesis: spoken(antithesis) };
    const verdict = checkEligibility(answers);
    if (verdict.eligible) {
      debates.push({ kind: 'heard', decision, thesis: verdict.thesis, antithesis: verdict.antithesis });
    } else {
      council.warn(quorumWarning(decision.number, verdict.reason));
      debates.push({ kind: 'ineligible', decision, reason: verdict.reason, defences: heard(answers) });
    }
  }
  return debates;
}

function callFor(
  { decision, ...agents }: QueuedDebate,
  side: 'thesis' | 'antithesis',
  { commission, synthesis }: DebateBrief,
): Call<'defence'> {
  const [agent, id] = [agents[side], `debate-${decision.number}-${side}`];
  const label = `${decisionId(decision)} ${side}`;
  return [
    { id, label, agents: [agent], outside: true, planned: { agent } },
    {
      key: id,
      kind: `debate-${side}`,
      judgement: 'defence',
      draft: (schema, maximumEffort) =>
        debatePrompt({
          side,
          commission,
          synthesis: synthesis === undefined ? '' : renderSynthesis(synthesis),
          decision,
          schema,
          maximumEffort,
        }),
      facts: { decision, synthesis },
    },
  ];
}

function spoken(reply: Reply<'defence'> | undefined) {
  return reply?.value === undefined ? undefined : defenceReading(reply.value);
}

/** L-531: what one side said is kept with the decision, also when the debate does not count. */
function heard({ thesis, antithesis }: Record<'thesis' | 'antithesis', ReturnType<typeof spoken>>) {
  return {
    ...(thesis === undefined ? {} : { thesis: bodies(thesis) }),
    ...(antithesis === undefined ? {} : { antithesis: bodies(antithesis) }),
  };
}
