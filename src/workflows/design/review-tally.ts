import { entriesOf, scoreboard } from '../../council/tally.ts';
import {
  planDigest,
  renderTally,
  renderTallyOfRounds,
  renderTallyStub,
  type TallyRound,
  tallyFileOfRound,
} from '../../council/tally-file.ts';
import type { Desk } from './desk.ts';
import { seatsOf } from './seating.ts';
import { type Design, known, rulesOf } from './state.ts';

/** What was voted on, and who had been asked for it. */
export type ReviewRound = TallyRound & { reviewers: readonly string[] };

/** How many were asked, and how many of them did not answer. */
export type Reviews = { asked: number; missing: number };

/** C-19: the totals of all rounds, and what is missing from them. */
export function reviewPayload(rounds: readonly ReviewRound[], reviews: Reviews): string {
  const missing = missingPayload(reviews);
  if (rounds.length === 0) return `no findings${missing}`;
  const inScope = rounds.flatMap(({ entries }) => entriesOf(entries, 'in-scope'));
  const accepted = inScope.filter(({ outcome }) => outcome === 'accepted').length;
  return `${accepted} accepted, ${inScope.length - accepted} not implemented${missing}`;
}

function missingPayload({ asked, missing }: Reviews): string {
  return missing === 0 ? '' : `, ${missing} of ${asked} reviews missing`;
}

/** `voting-tally.md` is the final state; with a second round each one also has a file of its own. Gives the last round's text. */
export async function keepTally(desk: Desk, rounds: readonly ReviewRound[]): Promise<string> {
  const { outOfScopeScoring } = rulesOf(desk.inputs);
  const texts = rounds.map(({ entries, quorum, planDigest: digest, reviewers }) =>
    renderTally(entries, quorum, scoreboard(entries, reviewers, outOfScopeScoring), digest),
  );
  const last = texts.at(-1) ?? '';
  if (rounds.length > 1)
    for (const [index, text] of texts.entries())
      await desk.context.artifact(tallyFileOfRound(index + 1), text);
  const all = rounds.flatMap(({ entries }) => entries);
  const everybody = rounds.flatMap(({ reviewers }) => reviewers);
  const scores = scoreboard(all, everybody, outOfScopeScoring);
  await desk.context.artifact(
    'voting-tally.md',
    rounds.length > 1 ? renderTallyOfRounds(rounds, scores) : last,
  );
  return last;
}

/** L-594, L-595: nothing to vote on leaves a readable tally all the same. */
export async function nothingRaised(desk: Desk, design: Design, reviews: Reviews): Promise<Partial<Design>> {
  const labels = seatsOf(desk, design).review.map((seat) => seat.label);
  const text = renderTallyStub(
    `No findings were raised${missingPayload(reviews)}.`,
    planDigest(known(design, 'planText')),
    scoreboard([], labels),
  );
  await desk.context.artifact('voting-tally.md', text);
  for (const name of ['accepted-plan-findings.md', 'rejected-findings.md', 'oos.md'])
    await desk.context.artifact(name, '');
  return { acceptedText: '', rejectedText: '', findingsRaised: 0, blocking: [] };
}
