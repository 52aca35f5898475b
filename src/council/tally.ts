import { createHash } from 'node:crypto';
import type { VoteToken } from '../base/schema/judgements/review.ts';
import { tidyLine } from '../base/schema/primitives.ts';
import { readFields } from '../base/text/labelled-block.ts';
import type { ReviewItem } from './review.ts';
import type { Quorum } from './vote.ts';

export const outcomes = ['accepted', 'neutral', 'exonerated', 'rejected'] as const;
export type Outcome = (typeof outcomes)[number];

/** What one voter said about one item; `missing` is an error of that voter, not a vote (C-21). */
export type TallyVote = { voter: string; vote: VoteToken | 'missing'; reason: string };

export type TallyEntry = {
  item: ReviewItem;
  votes: TallyVote[];
  yes: number;
  no: number;
  exonerate: number;
  outcome: Outcome;
};

/** L-650: counts the votes of the eligible voters on every item. Without any voter nothing is accepted and nothing lost (F-19). */
export function tally(items: readonly ReviewItem[], quorum: Quorum): TallyEntry[] {
  const needed = quorum.needed ?? Number.POSITIVE_INFINITY;
  return items.map((item) => {
    const votes = quorum.eligible.map(({ label, votes: cast }): TallyVote => {
      const vote = cast?.[item.id];
      return vote
        ? { voter: label, vote: vote.vote, reason: vote.reason }
        : { voter: label, vote: 'missing', reason: '' };
    });
    const count = (token: VoteToken) => votes.filter(({ vote }) => vote === token).length;
    const [yes, no, exonerate] = [count('YES'), count('NO'), count('EXONERATE')];
    return { item, votes, yes, no, exonerate, outcome: outcomeOf({ yes, no, exonerate }, needed) };
  });
}

/** L-650. An item without votes is neutral: nothing is rejected without a NO. */
function outcomeOf(
  { yes, no, exonerate }: { yes: number; no: number; exonerate: number },
  needed: number,
): Outcome {
  if (yes >= needed) return 'accepted';
  if (yes > 0) return 'neutral';
  if (exonerate > 0) return 'exonerated';
  return no > 0 ? 'rejected' : 'neutral';
}

export function entriesOf(entries: readonly TallyEntry[], scope: ReviewItem['scope']): TallyEntry[] {
  return entries.filter(({ item }) => item.scope === scope);
}

/** Why an in-scope item is not implemented: the count against the bar, and every reason the voters gave. */
export function reasonNotImplemented(entry: TallyEntry, quorum: Quorum): string {
  const counts = `${entry.yes} YES, ${entry.no} NO, ${entry.exonerate} EXONERATE; ${quorum.needed ?? 'no voter answered, some'} YES needed (${entry.outcome}).`;
  const said = entry.votes
    .filter(({ vote }) => vote !== 'YES' && vote !== 'missing')
    .map(({ voter, vote, reason }) => `${voter}: ${vote}${reason === '' ? '' : ` — ${reason}`}`);
  const missing = entry.votes.filter(({ vote }) => vote === 'missing').map(({ voter }) => voter);
  const silent = missing.length === 0 ? [] : [`${missing.join(', ')} did not vote on it.`];
  return [counts, ...said, ...silent].join('\n');
}

/** The note when no finding was accepted. L-691 has the words for findings that were all rejected, as L-650 means it. */
export function noneAccepted(entries: readonly TallyEntry[], { tier }: Pick<Quorum, 'tier'>): string {
  if (tier === 'none') return '**ℹ Nobody voted: no finding was accepted. Plan unchanged.**';
  if (entries.every(({ outcome }) => outcome === 'rejected'))
    return '**ℹ Voting panel rejected all in-scope findings. Plan unchanged.**';
  const parts = outcomes.flatMap((outcome) => {
    const count = entries.filter((entry) => entry.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  return `**ℹ Voting panel accepted none of the in-scope findings (${parts.join(', ')}). Plan unchanged.**`;
}

/** L-651: whether out-of-scope items can cost points. */
export type OutOfScopeScoring = 'reward-only' | 'symmetric';

export type ScoreRow = {
  reviewer: string;
  findings: number;
  accepted: number;
  neutral: number;
  exonerated: number;
  rejected: number;
  outOfScopeProposed: number;
  outOfScopeAccepted: number;
  score: number;
};

const points: Record<Outcome, number> = { accepted: 1, neutral: 0, exonerated: 0, rejected: -1 };

/** L-650…L-652: one row per reviewer, also for those who found nothing; merged items score for all who raised them. */
export function scoreboard(
  entries: readonly TallyEntry[],
  reviewers: readonly string[],
  scoring: OutOfScopeScoring = 'reward-only',
): ScoreRow[] {
  const names = [...new Set([...reviewers, ...entries.flatMap(({ item }) => item.proposers)])];
  return names.map((reviewer) => {
    const mine = entries.filter(({ item }) => item.proposers.includes(reviewer));
    const inScope = mine.filter(({ item }) => item.scope === 'in-scope');
    const outside = mine.filter(({ item }) => item.scope === 'out-of-scope');
    const having = (outcome: Outcome) => inScope.filter((entry) => entry.outcome === outcome).length;
    const outsideScore = outside.map(({ outcome }) =>
      scoring === 'symmetric' ? points[outcome] : Math.max(0, points[outcome]),
    );
    return {
      reviewer,
      findings: inScope.length,
      accepted: having('accepted'),
      neutral: having('neutral'),
      exonerated: having('exonerated'),
      rejected: having('rejected'),
      outOfScopeProposed: outside.length,
      outOfScopeAccepted: outside.filter(({ outcome }) => outcome === 'accepted').length,
      score: sum([...inScope.map(({ outcome }) => points[outcome]), ...outsideScore]),
    };
  });
}

export function signed(score: number): string {
  return score > 0 ? `+${score}` : `${score}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export const reviewRounds = { default: 1, maximum: 2 } as const;

export type RoundDecision = { again: boolean; reason: string };

/** Whether another round of review is worth it: only while rounds are left and the last one changed the plan. */
export function nextRound({
  round,
  rounds,
  entries,
  earlier,
}: {
  /** The round just finished, from 1. */
  round: number;
  rounds: number;
  entries: readonly TallyEntry[];
  /** Items of the rounds before this one. */
  earlier: readonly ReviewItem[];
}): RoundDecision {
  const accepted = entries.filter(({ item, outcome }) => item.scope === 'in-scope' && outcome === 'accepted');
  if (accepted.length === 0) return { again: false, reason: 'the round brought no accepted finding' };
  const known = new Set(earlier.map(fingerprint));
  const fresh = accepted.filter(({ item }) => !known.has(fingerprint(item)));
  if (fresh.length === 0) return { again: false, reason: 'the round brought nothing new' };
  if (round >= Math.min(rounds, reviewRounds.maximum))
    return { again: false, reason: `round ${round} was the last one` };
  return { again: true, reason: `${fresh.length} accepted findings changed the plan` };
}

/**
 * Which seats review again: those an accepted finding came from, whichever agent filled them, or all when none is left (the
 * program's own check has no seat).
 */
export function reviewersForNextRound(entries: readonly TallyEntry[], seats: readonly string[]): string[] {
  const accepted = entries.filter(({ item, outcome }) => item.scope === 'in-scope' && outcome === 'accepted');
  const productive = seats.filter((seat) => accepted.some(({ item }) => item.seats.includes(seat)));
  return productive.length > 0 ? productive : [...seats];
}

/** The same finding in other words of the same order still counts as the same; meaning is the merge's business. */
export function fingerprint(item: Pick<ReviewItem, 'title' | 'focusArea' | 'citations'>): string {
  const words = item.title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const places = item.citations.map(({ file, line }) => `${file}:${line}`).sort();
  return JSON.stringify([item.focusArea, [...new Set(words)].sort(), places]);
}

/** Names the exact text of a plan, so that everybody sees which version a verdict was given on. */
export function planDigest(planText: string): string {
  const text = planText.replace(/\r\n?/g, '\n').trimEnd();
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** L-652 */
const scoreColumns = [
  'Reviewer',
  'Findings',
  'Accepted',
  'Neutral (1 YES)',
  'Exonerated (0 YES, 1+ EXON.)',
  'Rejected (0 YES, 0 EXON.)',
  'OOS Proposed',
  'OOS Accepted',
  'Score',
];

/** One round of review: what was voted on, by whom, against which plan. */
export type TallyRound = { entries: readonly TallyEntry[]; quorum: Quorum; planDigest: string };

/** L-653: `voting-tally.md`: which plan was voted on, the rule, every vote with its reason, and the scoreboard. */
export function renderTally(
  entries: readonly TallyEntry[],
  quorum: Quorum,
  scores: readonly ScoreRow[],
  planDigest: string,
): string {
  return tallyText([{ entries, quorum, planDigest }], scores, []);
}

/** The final state after several rounds, in the same form: all items, everybody who voted, one scoreboard. */
export function renderTallyOfRounds(rounds: readonly TallyRound[], scores: readonly ScoreRow[]): string {
  return tallyText(rounds, scores, [
    `- **Rounds**: ${rounds
      .map(
        ({ entries, planDigest }, index) =>
          `${index + 1}: ${entries.map(({ item }) => item.id).join(', ')} (plan ${planDigest}; ${tallyFileOfRound(index + 1)})`,
      )
      .join('; ')}`,
  ]);
}

/** The file of one round when there are several. */
export function tallyFileOfRound(round: number): string {
  return `voting-tally-${round}.md`;
}

function tallyText(
  rounds: readonly TallyRound[],
  scores: readonly ScoreRow[],
  head: readonly string[],
): string {
  const entries = rounds.flatMap((round) => round.entries);
  const voters = [...new Set(rounds.flatMap(({ quorum }) => quorum.eligible.map(({ label }) => label)))];
  const rows = entries.map(({ item, votes, yes, no, exonerate, outcome }) => [
    item.id,
    isHeld(item) ? heldTitle : item.title,
    ...voters.map((voter) => votes.find((each) => each.voter === voter)?.vote ?? 'missing'),
    `${yes}`,
    `${no}`,
    `${exonerate}`,
    outcome,
  ]);
  const header = ['Item', 'Title', ...voters, 'YES', 'NO', 'EXONERATE', 'Outcome'];
  const reasons = entries.map(
    ({ item, votes }) =>
      `### ${item.id}\n${votes.map(({ voter, vote, reason }) => `- ${voter}: ${vote}${reason === '' || isHeld(item) ? '' : ` — ${tidyLine(reason)}`}`).join('\n')}\n`,
  );
  return [
    '## Voting Tally\n',
    `- **Plan**: ${rounds.at(-1)?.planDigest ?? ''}`,
    `- **Rule**: ${ofRounds(rounds, ({ quorum }) => quorum.rule)}`,
    ...head,
    `- **Absent**: ${ofRounds(rounds, ({ quorum }) => absentIn(quorum))}\n`,
    `${table(header, rows)}\n`,
    ...reasons,
    renderScoreboard(scores),
  ].join('\n');
}

function absentIn({ absent }: Quorum): string {
  return (
    absent.map(({ label, failure }) => `${label} (${failure ?? 'no readable vote'})`).join(', ') || 'nobody'
  );
}

/** Text that is the same in all rounds appears once. */
function ofRounds(rounds: readonly TallyRound[], text: (round: TallyRound) => string): string {
  const texts = rounds.map(text);
  if (new Set(texts).size <= 1) return texts[0] ?? '';
  return texts.map((each, index) => `round ${index + 1}: ${each}`).join('; ');
}

/** L-694: the tally goes to callers, who may publish it; of a security observation it says that there was one. */
export const heldTitle = '(about security, kept local)';

function isHeld({ scope, security }: TallyEntry['item']): boolean {
  return scope === 'out-of-scope' && security;
}

/** L-595: the tally when there was nothing to vote on, or voting could not be held. It is never empty. */
export function renderTallyStub(
  statement: string,
  planDigest: string,
  reviewers: readonly ScoreRow[] = [],
): string {
  const board = reviewers.length === 0 ? '' : `\n${renderScoreboard(reviewers)}`;
  return `## Voting Tally\n\n- **Plan**: ${planDigest}\n\n${tidyLine(statement)}\n${board}`;
}

export function renderScoreboard(scores: readonly ScoreRow[]): string {
  const rows = scores.map((row) => [
    row.reviewer,
    row.findings,
    row.accepted,
    row.neutral,
    row.exonerated,
    row.rejected,
    row.outOfScopeProposed,
    row.outOfScopeAccepted,
    signed(row.score),
  ]);
  return `## Reviewer Competition Scoreboard\n\n${table(
    scoreColumns,
    rows.map((row) => row.map(String)),
  )}\n`;
}

export type TallyReading = {
  planDigest: string | undefined;
  items: { id: string; title: string; votes: Pick<TallyVote, 'voter' | 'vote'>[]; outcome: Outcome }[];
  scores: ScoreRow[];
};

/** Reads the two tables of the file back. */
export function readTally(text: string): TallyReading {
  const [votes = '', board = ''] = text.split(/^## Reviewer Competition Scoreboard$/m);
  const [header = [], ...rows] = readTable(votes);
  const voters = header.slice(2, -4);
  return {
    planDigest: readFields(votes, ['Plan', 'Rule', 'Rounds', 'Absent']).fields.get('Plan')?.split('\n')[0],
    items: rows.flatMap((row) => {
      const outcome = outcomes.find((each) => each === row.at(-1));
      if (outcome === undefined) return [];
      return [
        {
          id: row[0] ?? '',
          title: row[1] ?? '',
          votes: voters.map((voter, index) => ({
            voter,
            vote: (row[index + 2] ?? 'missing') as TallyVote['vote'],
          })),
          outcome,
        },
      ];
    }),
    scores: readTable(board).slice(1).map(readScore),
  };
}

function readScore([reviewer = '', ...cells]: string[]): ScoreRow {
  const [
    findings = 0,
    accepted = 0,
    neutral = 0,
    exonerated = 0,
    rejected = 0,
    outOfScopeProposed = 0,
    outOfScopeAccepted = 0,
    score = 0,
  ] = cells.map(Number);
  return {
    reviewer,
    findings,
    accepted,
    neutral,
    exonerated,
    rejected,
    outOfScopeProposed,
    outOfScopeAccepted,
    score,
  };
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(header), `|${header.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A pipe inside a cell always has a backslash before it, so ` | ` only occurs between cells. */
function readTable(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | ').map(unescapeCell));
}

function escapeCell(cell: string): string {
  return tidyLine(cell).replace(/[\\|]/g, '\\$&');
}

function unescapeCell(cell: string): string {
  return cell.replace(/\\([\\|])/g, '$1');
}
