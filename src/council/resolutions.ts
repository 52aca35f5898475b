import type { Side } from '../base/schema/judgements/debate.ts';
import { tidyLine } from '../base/schema/primitives.ts';
import {
  type Block,
  type Field,
  readBlocks,
  renderBlock,
  renderBlocks,
} from '../base/text/labelled-block.ts';
import { type Debate, type HeardDebate, skippedByLabel } from './debate.ts';
import { decisionId, type NumberedDecision } from './decisions.ts';
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

const labels = [
  'Resolution',
  'Disposition',
  'Vote tally',
  'Thesis summary',
  'Antithesis summary',
  ...whyLabels,
] as const;

/** L-530: `dialectic-resolutions.md`; empty when there was no contested decision (C-08). */
export function renderResolutions(resolutions: readonly Resolution[]): string {
  return renderBlocks(
    resolutions.map((each) => {
      const tally: Field[] = each.tally ? [['Vote tally', tallyText(each.tally)]] : [];
      return renderBlock(
        `${decisionId(each)}: ${each.title}`,
        [
          ['Resolution', each.resolution],
          ['Disposition', each.disposition],
          ...tally,
          ['Thesis summary', each.thesisSummary],
          ['Antithesis summary', each.antithesisSummary],
          [each.why.label, each.why.text],
        ],
        'plain',
      );
    }),
  );
}

/** The voted resolutions with their votes, for plan and prompts. */
export function renderVoted(resolutions: readonly Resolution[]): string {
  return renderBlocks(
    votedOnly(resolutions).map(({ number, title, resolution, tally }) =>
      renderBlock(
        `${decisionId({ number })}: ${title}`,
        [
          ['Resolution', resolution],
          ['Vote tally', tallyText(tally)],
        ],
        'bullet',
      ),
    ),
  ).trimEnd();
}

/** One line for each voted resolution, for the end of the run. */
export function votedLines(resolutions: readonly Resolution[]): string[] {
  return votedOnly(resolutions).map(
    ({ number, title, resolution, tally }) =>
      `${decisionId({ number })} (${tidyLine(title)}): ${tidyLine(resolution)} — ${tallyText(tally)}`,
  );
}

function votedOnly(resolutions: readonly Resolution[]) {
  return resolutions.flatMap(({ tally, ...each }) => (tally === undefined ? [] : [{ ...each, tally }]));
}

function tallyText({ thesis, antithesis }: NonNullable<Resolution['tally']>): string {
  return `THESIS=${thesis}, ANTI_THESIS=${antithesis}`;
}

export type ResolutionsReading = { ok: true; resolutions: Resolution[] } | { ok: false; problems: string[] };

/** L-532: accepts exactly the field names and dispositions of the format, one why field, a tally only on voted entries. */
export function readResolutions(text: string): ResolutionsReading {
  const problems: string[] = [];
  const blocks = readBlocks(text, /^DECISION_(\d{1,3}):\s*(.+)$/, labels);
  if (blocks.length === 0 && text.trim() !== '') problems.push('no "### DECISION_N: title" block');
  const resolutions = blocks.flatMap((block) => readOne(block, problems) ?? []);
  return problems.length === 0 ? { ok: true, resolutions } : { ok: false, problems };
}

function readOne({ heading, fields, repeated }: Block, problems: string[]): Resolution | undefined {
  const where = `DECISION_${heading[0]}`;
  const before = problems.length;
  for (const label of repeated) problems.push(`${where}: ${label} comes twice`);
  const disposition = dispositions.find((each) => each === fields.get('Disposition'));
  if (!disposition) problems.push(`${where}: Disposition is one of ${dispositions.join(', ')}`);
  if (!fields.get('Resolution')) problems.push(`${where}: Resolution is missing`);
  const whys = whyLabels.filter((label) => fields.has(label));
  if (whys.length !== 1) problems.push(`${where}: ${whys.length} why fields, exactly one is needed`);
  const tally = readTally(fields.get('Vote tally'));
  if ((disposition === 'voted') !== (tally !== undefined)) {
    problems.push(`${where}: a vote tally belongs to voted entries and only to them`);
  }
  const label = whys[0];
  if (problems.length > before || !disposition || !label) return undefined;
  return {
    number: Number(heading[0]),
    title: heading[1] ?? '',
    resolution: fields.get('Resolution') ?? '',
    disposition,
    ...(tally ? { tally } : {}),
    thesisSummary: fields.get('Thesis summary') ?? '',
    antithesisSummary: fields.get('Antithesis summary') ?? '',
    why: { label: label satisfies WhyLabel, text: fields.get(label) ?? '' },
  };
}

function readTally(text: string | undefined): Resolution['tally'] {
  const match = /^THESIS=(\d+),\s*ANTI_THESIS=(\d+)$/.exec(text ?? '');
  return match ? { thesis: Number(match[1]), antithesis: Number(match[2]) } : undefined;
}
