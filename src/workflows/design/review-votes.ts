import { buildReviewBallot } from '../../council/ballot.ts';
import type { ReviewItem } from '../../council/review.ts';
import { type TallyEntry, tally } from '../../council/tally.ts';
import {
  degradedWarning,
  type Quorum,
  quorumOf,
  renderVotes,
  type VoterBallot,
  voterWarning,
  votesOf,
} from '../../council/votes.ts';
import { votePrompt } from '../../prompts/panel/plan-review.ts';
import type { Desk } from './desk.ts';
import { seatsOf } from './seating.ts';
import { type Design, known, type Place, rulesOf } from './state.ts';

/** L-630…L-643: three voters, no names on the ballot; with none at all the planning agent votes, and that is said. */
export async function vote(
  desk: Desk,
  design: Design,
  items: readonly ReviewItem[],
  round: number,
): Promise<{ entries: TallyEntry[]; quorum: Quorum }> {
  const { text, proposers } = buildReviewBallot(items, {
    neutral: `${desk.inputs.feature}\n${known(design, 'planText')}`,
    exonerate: rulesOf(desk.inputs).exonerate,
  });
  await desk.context.artifact(round === 1 ? 'ballot.txt' : `ballot-${round}.txt`, text);
  await desk.context.artifact(
    round === 1 ? 'ballot-proposers.json' : `ballot-proposers-${round}.json`,
    `${JSON.stringify(proposers, null, 2)}\n`,
  );
  const seats = seatsOf(desk, design);
  const poll = (seats: readonly Place[], prefix: string) =>
    collectVotes(desk, design, seats, text, items, votePrefix(prefix, round));
  const ballots = await poll(seats.voters, 'vote');
  let quorum = quorumOf(ballots);
  for (const absent of quorum.absent) desk.warn(voterWarning(absent, quorum.eligible));
  const degraded = degradedWarning(quorum);
  if (degraded !== undefined) desk.warn(degraded);
  if (quorum.tier === 'none') {
    quorum = quorumOf([...ballots, ...(await poll([seats.author], 'adjudicate'))]);
    if (quorum.tier === 'none')
      desk.warn('No voter answered and the planning agent gave no vote either; nothing was accepted.');
    else quorum = { ...quorum, rule: adjudication };
  }
  return { entries: tally(items, quorum), quorum };
}

/** C-20: an adjudication is called so. */
const adjudication = 'no voter answered: the planning agent decided alone (main-agent-vote-required)';

async function collectVotes(
  desk: Desk,
  design: Design,
  seats: readonly Place[],
  ballot: string,
  items: readonly ReviewItem[],
  prefix: string,
): Promise<VoterBallot[]> {
  const replies = await desk.ask(
    'vote',
    seats.map((seat) => ({
      seat,
      lane: `${prefix}${seat.id}`,
      task: 'vote',
      judgement: 'vote' as const,
      draft: (schema, maximumEffort) =>
        votePrompt({
          voter: seat.chair === 'author' ? 'reviewer' : 'engineer',
          commission: design.commission,
          plan: known(design, 'planText'),
          ballot,
          exonerate: rulesOf(desk.inputs).exonerate,
          schema,
          maximumEffort,
        }),
      input: { items, plan: design.plan },
    })),
  );
  const ids = items.map((item) => item.id);
  const ballots: VoterBallot[] = [];
  for (const [index, reply] of replies.entries()) {
    const { label = '', id = '' } = seats[index] ?? {};
    if (reply.kind !== 'ok' || reply.value === undefined) {
      ballots.push({ label, votes: undefined, failure: reply.message ?? reply.kind });
      continue;
    }
    const { votes, warnings } = votesOf(reply.value, ids, { exonerate: rulesOf(desk.inputs).exonerate });
    for (const warning of warnings) desk.warn(`${label}: ${warning}`);
    await desk.context.artifact(`${id}-${prefix}output.txt`, renderVotes(votes));
    ballots.push({ label, votes });
  }
  return ballots;
}

function votePrefix(task: string, round: number): string {
  return round === 1 ? `${task}-` : `${task}-${round}-`;
}
