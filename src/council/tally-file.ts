import { createHash } from 'node:crypto';
import { tidyLine } from '../base/schema/primitives.ts';
import { readFields } from '../base/text/labelled-block.ts';
import { type Outcome, outcomes, type ScoreRow, signed, type TallyEntry, type TallyVote } from './tally.ts';
import type { Quorum } from './votes.ts';

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
