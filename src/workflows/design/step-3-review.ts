import { CharretteError } from '../../base/errors.ts';
import { renderBlock, renderBlocks } from '../../base/text/labelled-block.ts';
import { renderFindings } from '../../council/findings-text.ts';
import type { RunAvailability } from '../../council/health.ts';
import { mergeCandidates } from '../../council/merge.ts';
import {
  acceptedFindings,
  handOffEntries,
  heldFile,
  outOfScopeEntries,
  printedAccepted,
  readOutOfScope,
  rejectedFindings,
  renderAccepted,
  renderOutOfScope,
  renderRejected,
  unresolvedTexts,
} from '../../council/outcome-files.ts';
import {
  type Candidate,
  numberCandidates,
  type RaisedFinding,
  type ReviewItem,
} from '../../council/review.ts';
import { answerFile, attribution } from '../../council/seating.ts';
import {
  entriesOf,
  nextRound,
  noneAccepted,
  reviewersForNextRound,
  type TallyEntry,
} from '../../council/tally.ts';
import { planDigest } from '../../council/tally-file.ts';
import type { Quorum } from '../../council/votes.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import { revisePlanPrompt } from '../../prompts/panel/plan.ts';
import { mergeFindingsPrompt, planReviewPrompt } from '../../prompts/panel/plan-review.ts';
import { checkPlan, markEvidence } from '../repository.ts';
import { handOver } from './caller.ts';
import type { Desk, Reply } from './desk.ts';
import { afterFailures } from './health.ts';
import { keepTally, nothingRaised, type ReviewRound, type Reviews, reviewPayload } from './review-tally.ts';
import { vote } from './review-votes.ts';
import { seatsOf } from './seating.ts';
import { bindingText, type Design, decidedPoints, known, type Place } from './state.ts';
import { checkTree } from './tree.ts';

/** Step 3: reviewers check the plan against the code, voters decide blind, the author revises (L-580…L-698). */
export async function planReview(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('3');
  await desk.context.artifact('plan-before-review.txt', known(design, 'planText'));
  let current = design;
  let reviewers = seatsOf(desk, design).review;
  const seen: ReviewItem[] = [];
  const rounds: ReviewRound[] = [];
  const reviews = { asked: 0, missing: 0 };
  for (let round = 1; ; round += 1) {
    const { raised, health, asked, missing } = await raise(desk, current, reviewers, round);
    current = { ...current, health };
    reviews.asked += asked;
    reviews.missing += missing;
    if (round === 1 && asked > 0 && missing === asked) throw unreviewed(asked);
    if (nothingToVoteOn(raised)) {
      if (raised.length > 0)
        desk.note(
          `The plan check has ${raised.length} warning(s) and nothing blocking; see plan-check.json.`,
        );
      if (round === 1) current = { ...current, ...(await nothingRaised(desk, current, reviews)) };
      break;
    }
    const items = await merge(desk, raised, current, round, seen);
    const { entries, quorum } = await vote(desk, current, items, round);
    const digest = planDigest(known(current, 'planText'));
    const labels = reviewers.map((seat) => seat.label);
    rounds.push({ entries, quorum, planDigest: digest, reviewers: labels });
    desk.show('Voting Tally and Reviewer Competition Scoreboard', await keepTally(desk, rounds));
    const revised = await finalise(desk, current, entries, quorum, round);
    current = { ...current, ...revised };
    const again = nextRound({ round, rounds: desk.inputs.reviewRounds, entries, earlier: seen });
    seen.push(...items);
    if (!again.again || revised.planText === undefined) break;
    desk.note(`⏳ another round of review: ${again.reason}`);
    const productive = reviewersForNextRound(
      entries,
      reviewers.map((seat) => seat.id),
    );
    reviewers = reviewers.filter((seat) => productive.includes(seat.id));
  }
  desk.end(reviewPayload(rounds, reviews));
  return current;
}

/** L-594: warnings of the plan check alone are not worth a vote and a revision. */
function nothingToVoteOn(raised: readonly RaisedFinding[]): boolean {
  return raised.every(({ seat, severity }) => seat === groundingSeat && severity !== 'Important');
}

const groundingSeat = 'grounding';

/** L-022, L-581: a plan that nobody looked at is no reviewed plan; what failed is asked again when the run goes on. */
function unreviewed(asked: number): CharretteError {
  return new CharretteError({
    code: 'no-reviews',
    message: `No reviewer answered (${asked} asked).`,
    fix: 'See the warnings above for each seat; mend the cause, then resume the run.',
    retryable: true,
  });
}

/** Asks all reviewers at once, adds the program's own check, and opens every cited place at the base commit. */
async function raise(
  desk: Desk,
  design: Design,
  seats: readonly Place[],
  round: number,
): Promise<{ raised: RaisedFinding[]; health: RunAvailability } & Reviews> {
  const plan = known(design, 'planText');
  const author = seatsOf(desk, design).author.agents[0];
  const replies = await desk.ask(
    'review',
    seats.map((seat) => ({
      seat,
      lane: round === 1 ? seat.id : `${seat.id}-round-${round}`,
      task: 'plan-review',
      judgement: 'review' as const,
      draft: (schema, maximumEffort) =>
        planReviewPrompt({
          commission: { ...design.commission, brief: desk.inputs.briefs?.review },
          stance: seat.stance,
          plan,
          resolutions: bindingText(desk.inputs, design),
          competition: true,
          schema,
          maximumEffort,
        }),
      input: { plan: design.plan, resolutions: design.resolutions },
    })),
    'reviewers',
  );
  await checkTree(desk, 'plan-review-collection', round);
  await keepReviews(desk, seats, replies, round);
  const raised = replies.flatMap((reply, index) => {
    const seat = seats[index];
    if (seat === undefined) return [];
    desk.tellFailures(seat.label, reply);
    const findings = reply.kind === 'ok' ? (reply.value?.findings ?? []) : [];
    const reviewer = attribution(seat, reply.agent, author);
    return findings.map((finding) => ({
      ...finding,
      reviewer,
      seat: seat.id,
      evidence: 'unchecked' as const,
    }));
  });
  const { project, baseCommit } = desk.inputs;
  const own = await desk.context.step(`check plan, round ${round}`, () =>
    checkPlan(project, baseCommit, known(design, 'plan'), decidedPoints(desk.inputs, design), process.env),
  );
  await desk.context.artifact('plan-check.json', `${JSON.stringify(own.report, null, 2)}\n`);
  const grounded = own.findings.map((finding) => ({
    ...finding,
    reviewer: 'Grounding',
    seat: groundingSeat,
    evidence: 'unchecked' as const,
  }));
  const marked = await desk.context.step(`check citations, round ${round}`, () =>
    markEvidence(project, baseCommit, [...raised, ...grounded]),
  );
  return {
    raised: marked,
    health: await afterFailures(desk, known(design, 'health'), 'review', replies),
    asked: seats.filter(({ agents }) => agents.length > 0).length,
    missing: replies.filter(({ kind, agent }) => kind !== 'ok' && agent !== '').length,
  };
}

/** L-582, F-24: every review in a file of its own. */
async function keepReviews(
  desk: Desk,
  seats: readonly Place[],
  replies: readonly Reply<'review'>[],
  round: number,
): Promise<void> {
  for (const [index, { kind, agent, value }] of replies.entries()) {
    const seat = seats[index];
    if (seat === undefined || kind !== 'ok' || value === undefined) continue;
    const name = answerFile(seat, agent);
    await desk.context.artifact(
      round === 1 ? name : name.replace(/-output\.txt$/, `-round-${round}-output.txt`),
      renderFindings(value.findings),
    );
  }
}

/** C-32: the author groups findings that mean the same; an answer that is no partition merges nothing. */
async function merge(
  desk: Desk,
  raised: readonly RaisedFinding[],
  design: Design,
  round: number,
  earlier: readonly ReviewItem[],
): Promise<ReviewItem[]> {
  const candidates: Candidate[] = numberCandidates(raised);
  if (candidates.length === 1) return mergeCandidates(candidates, undefined, earlier).items;
  const [reply] = await desk.ask('author', [
    {
      seat: seatsOf(desk, design).author,
      lane: lane('merge', 'findings', round),
      task: 'merge-findings',
      judgement: 'merge',
      draft: (schema) => mergeFindingsPrompt({ findings: candidateText(candidates), schema }),
      input: { items: candidates },
    },
  ]);
  desk.tellFailures('Author (merge-findings)', reply);
  const { items, refused } = mergeCandidates(
    candidates,
    reply?.kind === 'ok' ? reply.value : undefined,
    earlier,
  );
  if (refused !== undefined) desk.warn(`Findings were not merged: ${refused}. Each stands alone.`);
  return items;
}

/** L-690…L-698: accepted findings change the plan; the rest is kept with its reason. */
async function finalise(
  desk: Desk,
  design: Design,
  entries: readonly TallyEntry[],
  quorum: Quorum,
  round: number,
): Promise<Partial<Design>> {
  const inScope = entriesOf(entries, 'in-scope');
  const accepted = inScope.filter(({ outcome }) => outcome === 'accepted');
  let revised: Pick<Design, 'plan' | 'planText'> = {};
  let resolutions: Record<string, string> = {};
  let unresolvedText = unresolvedTexts.silent;
  if (accepted.length > 0) {
    const open = renderAccepted(acceptedFindings(entries, {}));
    const { value } = await desk.author(seatsOf(desk, design).author, {
      lane: lane('revise', 'plan', round),
      task: 'revise-plan',
      judgement: 'revision',
      draft: (schema) =>
        revisePlanPrompt({
          commission: design.commission,
          plan: known(design, 'planText'),
          accepted: open,
          resolutions: bindingText(desk.inputs, design),
          schema,
        }),
      input: {
        plan: design.plan,
        accepted: accepted.map(({ item }) => item),
        decided: decidedPoints(desk.inputs, {
          ...design,
          acceptedText: joinBlocks(design.acceptedText, open),
        }),
      },
    });
    const planText = renderPlan(value.plan);
    if (planText === design.planText) {
      // L-698: whatever was said about it, nothing was worked in.
      unresolvedText = unresolvedTexts.unchanged;
    } else {
      await desk.context.artifact('plan.txt', planText);
      await desk.context.artifact('plan.json', `${JSON.stringify(value.plan, null, 2)}\n`);
      resolutions = Object.fromEntries(value.resolutions.map(({ id, resolution }) => [id, resolution]));
      revised = { plan: value.plan, planText };
    }
  } else if (inScope.length > 0) desk.note(noneAccepted(inScope, quorum));
  const acceptedText = renderAccepted(acceptedFindings(entries, resolutions, unresolvedText));
  const rejected = rejectedFindings(entries, quorum);
  const texts = {
    acceptedText: joinBlocks(design.acceptedText, acceptedText),
    rejectedText: joinBlocks(design.rejectedText, renderRejected(rejected)),
    ...(await keepOutOfScope(desk, design, entries)),
  };
  await desk.context.artifact('accepted-plan-findings.md', texts.acceptedText);
  await desk.context.artifact('rejected-findings.md', texts.rejectedText);
  if (acceptedText !== '') desk.show('Plan Review Findings (Voted In)', printedAccepted(acceptedText));
  if (revised.planText !== undefined) desk.show('Revised Implementation Plan', revised.planText);
  const observed = renderOutOfScope(outOfScopeEntries(entries).open);
  if (observed !== '') desk.show('Out-of-Scope Observations', observed);
  const unresolved = accepted
    .filter(({ item }) => resolutions[item.id] === undefined)
    .map(({ item }) => item);
  for (const item of unresolved)
    desk.warn(`${item.id} was accepted, but ${unresolvedText.replace('The', 'the')}`);
  return {
    ...revised,
    ...texts,
    findingsRaised: (design.findingsRaised ?? 0) + entriesOf(entries, 'in-scope').length,
    blocking: [
      ...(design.blocking ?? []),
      ...unresolved.filter((item) => item.severity === 'Important').map((item) => item.id),
    ],
  };
}

/** L-692…L-694: observations of all rounds; security ones never reach a file that may be published. */
async function keepOutOfScope(
  desk: Desk,
  design: Design,
  entries: readonly TallyEntry[],
): Promise<Pick<Design, 'outOfScopeText' | 'heldText'>> {
  const { open, held } = outOfScopeEntries(entries);
  const outOfScopeText = joinBlocks(design.outOfScopeText, renderOutOfScope(open));
  const heldText = joinBlocks(design.heldText, renderOutOfScope(held));
  await desk.context.artifact('oos.md', outOfScopeText);
  await handOver(desk, renderOutOfScope(handOffEntries(readOutOfScope(outOfScopeText)), { handOff: true }));
  if (held.length > 0) {
    await desk.context.artifact(heldFile, heldText);
    desk.warn(
      `**⚠ ${held.length} out-of-scope observation(s) about security: kept in ${heldFile}, shown and handed to nobody.**`,
    );
  }
  return { outOfScopeText, heldText };
}

/** The blocks of earlier rounds and those of this one, a blank line between them. */
function joinBlocks(earlier: string | undefined, text: string): string {
  return [earlier ?? '', text].filter((part) => part !== '').join('\n');
}

function lane(task: string, name: string, round: number): string {
  return round === 1 ? `${task}-${name}` : `${task}-${round}-${name}`;
}

function candidateText(candidates: readonly Candidate[]): string {
  return renderBlocks(
    candidates.map(({ id, title, focusArea, outOfScope, concern, suggestedRevision }) =>
      renderBlock(
        `${id}: ${outOfScope ? '[OUT_OF_SCOPE] ' : ''}${title}`,
        [
          ['Focus area', focusArea],
          ['Concern', concern],
          ['Suggested revision', suggestedRevision],
        ],
        'bullet',
      ),
    ),
  );
}
