import type { Side } from '../base/schema/judgements/debate.ts';
import { type Debate, type HeardDebate, skippedByLabel } from './debate.ts';
import type { NumberedDecision } from './decisions.ts';
import type { DefenceBodies } from './defence.ts';
import { type DecisionVerdict, decide, type JudgeBallots, type VerdictRules } from './judge.ts';

export const dispositions = ['voted', 'fallback-to-synthesis', 'bucket-skipped', 'over-cap'] as const;
export type Disposition = (typeof dispositions)[number];

export const whyLabels = [
  'Why thesis prevails',
  'Why antithesis prevails',
  'Why fallback',
  'Why skipped',
  'Why over-cap',
] as const;
export type WhyLabel = (typeof whyLabels)[number];

/** L-530: what became of one contested decision. Only `voted` binds the plan (L-532). */
export type Resolution = {
  number: number;
  title: string;
  resolution: string;
  disposition: Disposition;
  tally?: { thesis: number; antithesis: number };
  thesisSummary: string;
  antithesisSummary: string;
  why: { label: WhyLabel; text: string };
};

type Defences = Pick<HeardDebate, 'thesis' | 'antithesis'>;

/** L-530, L-531: one resolution per contested decision, in their order. */
export function resolve(
  debates: readonly Debate[],
  ballots: readonly JudgeBallots[] = [],
  rules: VerdictRules = {},
): Resolution[] {
  const skipped = skippedByLabel(debates.flatMap((each) => (each.kind === 'skipped' ? [each] : [])));
  return debates
    .map((each) =>
      each.kind === 'heard'
        ? judged(each, decide(each.decision.number, ballots, rules))
        : unjudged(each, skipped),
    )
    .sort((a, b) => a.number - b.number);
}

function unjudged(
  outcome: Exclude<Debate, HeardDebate>,
  skipped: ReadonlyMap<string, readonly number[]>,
): Resolution {
  const { decision } = outcome;
  const kept = unchanged(decision);
  switch (outcome.kind) {
    case 'ineligible':
      return {
        ...kept,
        disposition: 'fallback-to-synthesis',
        thesisSummary: summary(outcome.defences?.thesis),
        antithesisSummary: summary(outcome.defences?.antithesis),
        why: { label: 'Why fallback', text: outcome.reason },
      };
    case 'skipped':
      return {
        ...kept,
        disposition: 'bucket-skipped',
        ...noDebate('bucket skipped'),
        why: {
          label: 'Why skipped',
          text: `${outcome.label} unavailable — bucket ${outcome.label} decisions ${(skipped.get(outcome.label) ?? []).join(', ')} skipped at Step 2a.5 step 4`,
        },
      };
    case 'off':
      return {
        ...kept,
        disposition: 'bucket-skipped',
        ...noDebate('bucket skipped'),
        why: { label: 'Why skipped', text: 'the dialectic is off for this run' },
      };
    case 'over-cap':
      return {
        ...kept,
        disposition: 'over-cap',
        ...noDebate('ranked outside cap'),
        why: {
          label: 'Why over-cap',
          text: `decision ranked ${decision.number}, outside top-${outcome.cap} dialectic selection cap`,
        },
      };
  }
}

/** Without a vote the synthesis keeps its choice. */
function unchanged({ number, title, chosen }: NumberedDecision) {
  return { number, title, resolution: chosen };
}

function judged({ decision, ...defences }: HeardDebate, verdict: DecisionVerdict): Resolution {
  const kept = unchanged(decision);
  const summaries = {
    thesisSummary: summary(defences.thesis),
    antithesisSummary: summary(defences.antithesis),
  };
  if (verdict.outcome === 'fallback') {
    return {
      ...kept,
      disposition: 'fallback-to-synthesis',
      ...summaries,
      why: { label: 'Why fallback', text: verdict.reason },
    };
  }
  const thesisWon = verdict.winner === 'THESIS';
  return {
    ...kept,
    resolution: thesisWon ? decision.chosen : decision.alternative,
    disposition: 'voted',
    tally: { thesis: verdict.thesis, antithesis: verdict.antithesis },
    ...summaries,
    why: {
      label: thesisWon ? 'Why thesis prevails' : 'Why antithesis prevails',
      text: whyPrevails(verdict.winner, verdict.votes, defences),
    },
  };
}

/** L-531: the winning judges' reasons, what the loser itself concedes, and the winner's answer to the loser's case. */
function whyPrevails(
  winner: Side,
  votes: Extract<DecisionVerdict, { outcome: 'voted' }>['votes'],
  { thesis, antithesis }: Defences,
): string {
  const reasons = votes
    .filter(({ position }) => position === winner)
    .map(({ rationale }) => sentence(rationale));
  const [won, lost] = winner === 'THESIS' ? [thesis, antithesis] : [antithesis, thesis];
  const loserSays = firstSentences(lost.claim, 1);
  const answer = firstSentences(won.counter_to_opposition, 2);
  const conceded = firstSentences(lost.strongest_concession, 1);
  const engagement =
    answer === '' ? '' : `To the losing side’s case (${loserSays}) the winner answers: ${answer}`;
  return [
    ...new Set(reasons.filter((reason) => reason !== '')),
    conceded === '' ? '' : `The losing side concedes: ${sentence(conceded)}`,
    engagement,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** L-531: one or two sentences of a side's claim. */
function summary(bodies: DefenceBodies | undefined): string {
  return bodies === undefined ? '' : firstSentences(bodies.claim, 2);
}

function noDebate(why: string): Pick<Resolution, 'thesisSummary' | 'antithesisSummary'> {
  return { thesisSummary: `(no debate — ${why})`, antithesisSummary: `(no debate — ${why})` };
}

function firstSentences(text: string, count: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const found = line.match(/.+?(?:[.!?。！？](?=\s|$|[^\x00-\x7f])|$)/g) ?? [];
  return found.slice(0, count).join('').trim();
}

function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' || /[.!?。！？]$/.test(line) ? line : `${line}.`;
}

export type DispositionCounts = Record<Disposition, number>;

export function countDispositions(resolutions: readonly Resolution[]): DispositionCounts {
  const counts: DispositionCounts = {
    voted: 0,
    'fallback-to-synthesis': 0,
    'bucket-skipped': 0,
    'over-cap': 0,
  };
  for (const { disposition } of resolutions) counts[disposition] += 1;
  return counts;
}
