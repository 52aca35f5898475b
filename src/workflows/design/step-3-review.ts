import { CharretteError } from '../../base/errors.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Seat } from '../../council/council.ts';
import { addLoss } from '../../council/health.ts';
import {
  type AcceptedFinding,
  acceptedFindings,
  handOffEntries,
  heldFile,
  outOfScopeEntries,
  printedAccepted,
  rejectedFindings,
  renderAccepted,
  renderOutOfScope,
  renderRejected,
  unresolvedTexts,
} from '../../council/outcome-files.ts';
import {
  markEvidence,
  merge,
  planReview,
  type RaisedFinding,
  type ReviewItem,
  raisedBy,
  review,
} from '../../council/review.ts';
import {
  entriesOf,
  nextRound,
  noneAccepted,
  planDigest,
  renderTally,
  renderTallyOfRounds,
  renderTallyStub,
  reviewersForNextRound,
  scoreboard,
  type TallyRound,
  tally,
  tallyFileOfRound,
} from '../../council/tally.ts';
import { planVote, vote } from '../../council/vote.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { handOverObservations } from './caller.ts';
import {
  bindingText,
  type Deliberation,
  type Desk,
  decidedPoints,
  type Review,
  rulesOf,
  type SeatedTable,
} from './desk.ts';
import { afterFailures, noteAbsent } from './step-0-setup.ts';
import { askRevision, checkPlan, savePlan } from './step-2b-plan.ts';

/** What does not change while the plan is reviewed. */
export type ReviewFrame = Pick<Deliberation, 'decisions' | 'resolutions'> & { commission: Commission };

/** What was voted on, and who had been asked for it. */
type Round = TallyRound & { number: number; items: ReviewItem[]; reviewers: readonly Seat[] };

/** The author's answer to a round. Without a plan the revision changed nothing. */
type Revised = { plan?: Plan; accepted: AcceptedFinding[]; unresolved: ReviewItem[]; why: string };

/** Reviews that were asked for, and how many of them are missing. */
type Reviews = { asked: number; missing: number };

/** Step 3: reviewers check the plan against the code, voters decide blind, the author revises (L-580…L-698). */
export async function reviewPlan(
  desk: Desk,
  seated: SeatedTable,
  first: Plan,
  frame: ReviewFrame,
): Promise<Pick<Deliberation, 'table' | 'plan' | 'review'>> {
  desk.begin('3');
  await desk.artifact('plan-before-review.txt', renderPlan(first));
  let [table, plan] = [seated, first];
  let outcome: Review = { accepted: [], rejected: [], observed: [], held: [], raised: 0, blocking: [] };
  const rounds: Round[] = [];
  const reviews: Reviews = { asked: 0, missing: 0 };
  let reviewers: readonly Seat[] | undefined = seated.reviewers;
  while (reviewers !== undefined) {
    const number = rounds.length + 1;
    const found = await raise(desk, table, reviewers, plan, frame, outcome.accepted, number);
    table = found.table;
    reviews.asked += found.asked;
    reviews.missing += found.missing;
    if (number === 1 && found.asked > 0 && found.missing === found.asked) throw unreviewed(found.asked);
    if (desk.isRuleBased || nothingToVoteOn(found.raised)) {
      if (found.raised.length > 0)
        desk.note(
          desk.isRuleBased
            ? `The plan check has ${found.raised.length} finding(s); see plan-check.json. No model is here to vote on them.`
            : `The plan check has ${found.raised.length} warning(s) and nothing blocking; see plan-check.json.`,
        );
      if (number === 1) await keepEmpty(desk, table.reviewers, plan, reviews);
      break;
    }
    const round = await decide(desk, table, reviewers, plan, frame.commission, found.raised, rounds);
    rounds.push(round);
    desk.show('Voting Tally and Reviewer Competition Scoreboard', await keepTally(desk, rounds));
    const revised = await revise(desk, table.author, plan, frame, round, outcome.accepted);
    outcome = withRound(outcome, round, revised);
    await keepOutcome(desk, outcome, round, revised);
    reviewers = nextReviewers(desk, rounds, revised);
    plan = revised.plan ?? plan;
  }
  desk.end(reviewPayload(rounds, reviews));
  return { table, plan, review: outcome };
}

/** L-594: warnings of the plan check alone are not worth a vote and a revision. */
function nothingToVoteOn(raised: readonly RaisedFinding[]): boolean {
  return raised.every(({ seat, severity }) => seat === groundingSeat && severity !== 'Important');
}

const groundingSeat = 'grounding';

/** L-022, L-581: a plan without any review is not reviewed; what failed is asked again when the run is resumed. */
export function unreviewed(asked: number, part = ''): CharretteError {
  return new CharretteError({
    code: 'no-reviews',
    message: `No reviewer answered${part} (${asked} asked).`,
    fix: 'See the warnings above for each seat; fix the cause, then resume the run.',
    retryable: true,
  });
}

/** Asks the reviewers, adds the program's own check, and opens every cited place at the base commit. */
async function raise(
  desk: Desk,
  table: SeatedTable,
  reviewers: readonly Seat[],
  plan: Plan,
  frame: ReviewFrame,
  accepted: readonly AcceptedFinding[],
  round: number,
): Promise<{ raised: RaisedFinding[]; table: SeatedTable } & Reviews> {
  const { project, baseCommit, briefs, dialectic } = desk.inputs;
  const { raised, replies } = await review(
    desk,
    { reviewers, author: table.author },
    planReview({
      commission: { ...frame.commission, brief: briefs?.review },
      plan,
      resolutions: frame.resolutions,
      binding: dialectic === 'binding',
    }),
    round,
  );
  desk.compareFamilies(
    'reviewed',
    reviewers.map(({ planned }) => planned?.agent),
    replies.map(({ value, agent }) => (value === undefined ? undefined : agent)),
    round,
  );
  if (round === 1) noteReviewers(desk, replies);
  const own = await checkPlan(desk, `check plan, round ${round}`, plan, frame, accepted);
  const grounded = own.findings.map((finding) => raisedBy('Grounding', groundingSeat, finding));
  const marked = await desk.context.step(`check citations, round ${round}`, () =>
    markEvidence(project, baseCommit, [...raised, ...grounded]),
  );
  return {
    raised: marked,
    table: await afterFailures(desk, table, 'review', replies),
    asked: reviewers.filter(({ agents }) => agents.length > 0).length,
    missing: replies.filter(({ value, agent }) => value === undefined && agent !== '').length,
  };
}

/** A panel of your own may ask for a number of reviews; fewer are not what it was set up for. */
function noteReviewers(
  { inputs, context: { degraded } }: Desk,
  replies: readonly { value?: unknown }[],
): void {
  const { reviewers: needed = 0 } = inputs.seats?.quorum ?? {};
  const answered = replies.filter(({ value }) => value !== undefined).length;
  const text = `${answered} of ${needed} reviewers that the panel asks for answered`;
  if (answered < needed && !degraded.oneSided.includes(text)) degraded.oneSided.push(text);
}

/** Findings that mean the same become one item; voters decide on every item, and the votes are counted. */
async function decide(
  desk: Desk,
  table: SeatedTable,
  reviewers: readonly Seat[],
  plan: Plan,
  commission: Commission,
  raised: readonly RaisedFinding[],
  rounds: readonly Round[],
): Promise<Round> {
  const number = rounds.length + 1;
  const items = await merge(desk, table.author, raised, number, earlierItems(rounds));
  const { exonerate } = rulesOf(desk.inputs);
  const quorum = await vote(desk, table, items, planVote({ commission, plan, exonerate }), number);
  noteVoters(desk, table, quorum);
  const entries = tally(items, quorum);
  return { number, items, entries, quorum, reviewers, planDigest: planDigest(renderPlan(plan)) };
}

/** Announced voters without a vote, and votes of fewer families than were announced. */
export function noteVoters(desk: Desk, table: SeatedTable, { eligible, absent }: Round['quorum']): void {
  noteAbsent(desk, table, 'vote');
  for (const { label, planned } of table.voters) {
    const failure = absent.find((ballot) => ballot.label === label)?.failure;
    if (planned !== undefined && absent.some((ballot) => ballot.label === label))
      addLoss(desk.context.degraded, {
        ...{ role: 'vote', seat: label, planned: planned.agent, actual: null },
        reason: failure ?? 'no vote could be read',
      });
  }
  const announced = [...table.voters, ...table.absent.filter(({ role }) => role === 'vote')];
  const seatOf = (label: string) => [...table.voters, table.author].find((seat) => seat.label === label);
  desk.compareFamilies(
    'voted',
    announced.map(({ planned }) => planned?.agent),
    eligible.map(({ label, agent }) => agent ?? seatOf(label)?.agents[0]),
  );
}

function earlierItems(rounds: readonly Round[]): ReviewItem[] {
  return rounds.flatMap(({ items }) => items);
}

/** L-690…L-698: accepted findings change the plan; the rest is kept with its reason. */
async function revise(
  desk: Desk,
  author: Seat,
  plan: Plan,
  { commission, ...settled }: ReviewFrame,
  { number, entries, quorum }: Round,
  earlier: readonly AcceptedFinding[],
): Promise<Revised> {
  const inScope = entriesOf(entries, 'in-scope');
  const items = inScope.flatMap(({ item, outcome }) => (outcome === 'accepted' ? [item] : []));
  if (items.length === 0) {
    if (inScope.length > 0) desk.note(noneAccepted(inScope, quorum));
    return { accepted: [], unresolved: [], why: unresolvedTexts.silent };
  }
  const open = acceptedFindings(entries, {});
  const revision = await askRevision(
    desk,
    author,
    number === 1 ? 'revise-plan' : `revise-${number}-plan`,
    {
      commission,
      plan: renderPlan(plan),
      accepted: renderAccepted(open),
      resolutions: bindingText(desk.inputs, settled.resolutions),
    },
    { plan, accepted: items, decided: decidedPoints(desk.inputs, settled, [...earlier, ...open]) },
  );
  // L-698: whatever the answer says, an unchanged plan has nothing worked in.
  if (renderPlan(revision.plan) === renderPlan(plan)) {
    const why = unresolvedTexts.unchanged;
    return { accepted: acceptedFindings(entries, {}, why), unresolved: items, why };
  }
  await savePlan(desk, revision.plan);
  const resolutions = Object.fromEntries(revision.resolutions.map(({ id, resolution }) => [id, resolution]));
  return {
    plan: revision.plan,
    accepted: acceptedFindings(entries, resolutions),
    unresolved: items.filter(({ id }) => resolutions[id] === undefined),
    why: unresolvedTexts.silent,
  };
}

function withRound(before: Review, { entries, quorum }: Round, { accepted, unresolved }: Revised): Review {
  const { open, held } = outOfScopeEntries(entries);
  const blocking = unresolved.filter(({ severity }) => severity === 'Important');
  return {
    accepted: [...before.accepted, ...accepted],
    rejected: [...before.rejected, ...rejectedFindings(entries, quorum)],
    observed: [...before.observed, ...open],
    held: [...before.held, ...held],
    raised: before.raised + entriesOf(entries, 'in-scope').length,
    blocking: [...before.blocking, ...blocking.map(({ id }) => id)],
  };
}

/** L-690…L-694: files hold all rounds, the terminal shows this one; observations about security go to a separate file. */
async function keepOutcome(desk: Desk, outcome: Review, round: Round, revised: Revised): Promise<void> {
  const { open, held } = outOfScopeEntries(round.entries);
  await desk.artifact('oos.md', renderOutOfScope(outcome.observed));
  await handOverObservations(desk, renderOutOfScope(handOffEntries(outcome.observed), { handOff: true }));
  if (held.length > 0) {
    await desk.artifact(heldFile, renderOutOfScope(outcome.held));
    desk.warn(
      `**⚠ ${held.length} out-of-scope observation(s) about security: kept in ${heldFile}, not shown and not handed over.**`,
    );
  }
  await desk.artifact('accepted-plan-findings.md', renderAccepted(outcome.accepted));
  await desk.artifact('rejected-findings.md', renderRejected(outcome.rejected));
  if (revised.accepted.length > 0)
    desk.show('Plan Review Findings (Voted In)', printedAccepted(renderAccepted(revised.accepted)));
  if (revised.plan !== undefined) desk.show('Revised Implementation Plan', renderPlan(revised.plan));
  if (open.length > 0) desk.show('Out-of-Scope Observations', renderOutOfScope(open));
  for (const { id } of revised.unresolved)
    desk.warn(`${id} was accepted, but ${revised.why.replace('The', 'the')}`);
}

/** Who reviews the revised plan; `undefined` when another round would bring nothing. */
function nextReviewers(desk: Desk, rounds: readonly Round[], { plan }: Revised): readonly Seat[] | undefined {
  const last = rounds.at(-1);
  if (last === undefined || plan === undefined) return undefined;
  const { number, entries, reviewers } = last;
  const earlier = earlierItems(rounds.slice(0, -1));
  const again = nextRound({ round: number, rounds: desk.inputs.reviewRounds, entries, earlier });
  if (!again.again) return undefined;
  desk.note(`⏳ another round of review: ${again.reason}`);
  const productive = reviewersForNextRound(
    entries,
    reviewers.map(({ id }) => id),
  );
  return reviewers.filter(({ id }) => productive.includes(id));
}

/** C-19: the totals of all rounds, and what is missing from them. */
function reviewPayload(rounds: readonly Round[], reviews: Reviews): string {
  const missing = missingPayload(reviews);
  if (rounds.length === 0) return `no findings by ${reviewersText(reviews)}${missing}`;
  const inScope = rounds.flatMap(({ entries }) => entriesOf(entries, 'in-scope'));
  const accepted = inScope.filter(({ outcome }) => outcome === 'accepted').length;
  return `${accepted} accepted, ${inScope.length - accepted} not implemented${missing}`;
}

function reviewersText({ asked, missing }: Reviews): string {
  const answered = asked - missing;
  return answered === 1 ? '1 reviewer' : `${answered} reviewers`;
}

function missingPayload({ asked, missing }: Reviews): string {
  return missing === 0 ? '' : `, ${missing} of ${asked} reviews missing`;
}

/** `voting-tally.md` is the final state; with a second round each one also has its own file. Returns the last round's text. */
async function keepTally(desk: Desk, rounds: readonly Round[]): Promise<string> {
  const { outOfScopeScoring } = rulesOf(desk.inputs);
  const scoresOf = (some: readonly Round[]) =>
    scoreboard(
      some.flatMap(({ entries }) => entries),
      some.flatMap(({ reviewers }) => reviewers.map(({ label }) => label)),
      outOfScopeScoring,
    );
  const texts = rounds.map((round) =>
    renderTally(round.entries, round.quorum, scoresOf([round]), round.planDigest),
  );
  const last = texts.at(-1) ?? '';
  if (rounds.length > 1)
    for (const [index, text] of texts.entries()) await desk.artifact(tallyFileOfRound(index + 1), text);
  await desk.artifact(
    'voting-tally.md',
    rounds.length > 1 ? renderTallyOfRounds(rounds, scoresOf(rounds)) : last,
  );
  return last;
}

/** L-594, L-595: with nothing to vote on there is a readable tally anyway. */
async function keepEmpty(
  desk: Desk,
  reviewers: readonly Seat[],
  plan: Plan,
  reviews: Reviews,
): Promise<void> {
  const labels = reviewers.map(({ label }) => label);
  const statement = `No findings were raised by ${reviewersText(reviews)}${missingPayload(reviews)}.`;
  await desk.artifact(
    'voting-tally.md',
    renderTallyStub(statement, planDigest(renderPlan(plan)), scoreboard([], labels)),
  );
  for (const name of ['accepted-plan-findings.md', 'rejected-findings.md', 'oos.md'])
    await desk.artifact(name, '');
}
