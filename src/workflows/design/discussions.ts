import { slugify } from '../../base/text/strings.ts';
import { overflowLines, payloads } from '../../council/breadcrumbs.ts';
import { type Seat, tryAuthor } from '../../council/council.ts';
import { decisionId, renderDecision } from '../../council/decisions.ts';
import {
  discussionCandidates,
  discussionLimits,
  optionsDetail,
  planRound,
  readDiscussion,
  renderDiscussion,
  resolveAnswer,
  type SettledPoint,
} from '../../council/discussion.ts';
import { renderAccepted } from '../../council/outcome-files.ts';
import { renderResolutions } from '../../council/resolutions.ts';
import type { Question } from '../../engine/question.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { type DiscussionInput, discussionPrompt, questionsPrompt } from '../../prompts/panel/questions.ts';
import { bindingText, type Deliberation, type Desk, decidedPoints } from './desk.ts';
import { askRevision, savePlan } from './step-2b-plan.ts';

/** The scope so far, and how many questions it took. */
type Clarified = { commission: Commission; asked: number };

/** Step 1c: questions about real ambiguity, asked in one batch (L-170…L-173). */
export async function clarify(desk: Desk, author: Seat, commission: Commission): Promise<Clarified> {
  desk.begin('1c');
  const unchanged: Clarified = { commission, asked: 0 };
  if (desk.inputs.auto) return skip(desk, payloads.auto, unchanged);
  const reply = await tryAuthor(desk, author, {
    key: 'questions',
    kind: 'questions',
    judgement: 'questions',
    draft: (schema) => questionsPrompt({ commission, schema }),
    facts: {},
  });
  await desk.checkTree('question-collection');
  if (reply.value === undefined) return skip(desk, payloads.noUsableAnswer, unchanged);
  const found = reply.value.questions.slice(0, discussionLimits.questionsBeforeWork);
  if (found.length === 0) {
    desk.end(payloads.noQuestions);
    return unchanged;
  }
  if (found.length < reply.value.questions.length) desk.note(overflowLines.round1);
  const asked = found.map((item, index) =>
    questionOf(`clarify-${index + 1}-${slugify(item.title, 24, 'point')}`, item),
  );
  const answers = await desk.context.ask(asked);
  const text = renderDiscussion(
    found.map((item, index) => ({
      title: item.title,
      question: item.question,
      resolution: resolveAnswer(answers.get(asked[index]?.id ?? '')?.value ?? '', item),
      source: 'user' as const,
    })),
  );
  await desk.artifact('clarifications.md', text);
  desk.end(`${found.length} answered`);
  return { commission: { ...commission, clarifications: text }, asked: found.length };
}

/**
 * Step 1d: scope, hard constraints, non-goals; never how to build it (L-174…L-181). With step 1c it asks no more than a person
 * answers before the work begins.
 */
export async function discussScope(
  desk: Desk,
  author: Seat,
  { commission, asked }: Clarified,
): Promise<Commission> {
  desk.begin('1d');
  if (desk.inputs.auto) return skip(desk, payloads.auto, commission);
  const most = discussionLimits.questionsBeforeWork - asked;
  const discussed = await discuss(desk, author, { round: 1, most, commission });
  if (discussed.count === 0)
    return skip(desk, discussed.failed ? payloads.noUsableAnswer : payloads.noScopeDecisions, commission);
  if (discussed.deferred) desk.note(overflowLines.round1);
  await desk.artifact('discussion-round1.md', discussed.text);
  // L-175, L-047: what the code answered is reported, with what you decided.
  desk.show('Scope Decisions', discussed.text);
  desk.end(payloads.resolved(discussed.count));
  return { ...commission, discussion: discussed.decided, answeredByCode: discussed.answeredByCode };
}

/** Step 3.5: what the first round did not cover, what findings put in question, what stayed contested (L-720…L-725). */
export async function discussOpenPoints(
  desk: Desk,
  commission: Commission,
  made: Deliberation,
): Promise<Deliberation> {
  const { plan, resolutions, review, table } = made;
  desk.begin('3.5');
  if (desk.inputs.auto) return skip(desk, payloads.auto, made);
  const acceptedFindings = renderAccepted(review.accepted);
  const discussed = await discuss(desk, table.author, {
    round: 2,
    commission,
    second: {
      plan: renderPlan(plan),
      acceptedFindings,
      resolutions: renderResolutions(resolutions),
      contestedDecisions: openDecisions(commission, made, acceptedFindings),
    },
  });
  if (discussed.count === 0)
    return skip(desk, discussed.failed ? payloads.noUsableAnswer : payloads.noFurtherDecisions, made);
  if (discussed.deferred) desk.note(overflowLines.round2);
  await desk.artifact('discussion-round2.md', discussed.text);
  const revision = await askRevision(
    desk,
    table.author,
    'revise-plan-discussion',
    {
      commission,
      plan: renderPlan(plan),
      decisions: discussed.decided,
      answeredByCode: discussed.answeredByCode,
      resolutions: bindingText(desk.inputs, resolutions),
    },
    { plan, accepted: [], decided: decidedPoints(desk.inputs, made, review.accepted) },
  );
  await savePlan(desk, revision.plan);
  const revisedAfterReview = renderPlan(revision.plan) !== renderPlan(plan);
  if (revisedAfterReview) desk.show('Revised Implementation Plan', renderPlan(revision.plan));
  desk.end(payloads.resolved(discussed.count));
  return { ...made, plan: revision.plan, revisedAfterReview };
}

function skip<Value>(desk: Desk, payload: string, value: Value): Value {
  desk.skip(payload);
  return value;
}

/** L-722: the decisions that may be asked about, each with the reason why it is open. */
function openDecisions(
  { discussion = '', answeredByCode = '' }: Commission,
  { decisions, resolutions }: Deliberation,
  acceptedFindings: string,
): string {
  return discussionCandidates({
    decisions,
    resolutions,
    coveredTitles: readDiscussion(`${discussion}\n${answeredByCode}`).map(({ title }) => title),
    challenged: decisions
      .filter((decision) => new RegExp(`\\b${decisionId(decision)}\\b`).test(acceptedFindings))
      .map(({ number }) => number),
  })
    .map(({ decision, reasons }) => `${renderDecision(decision)}- **Open because**: ${reasons.join(', ')}\n`)
    .join('\n');
}

type Discussed = {
  count: number;
  /** All points, as they are saved. */
  text: string;
  /** What you decided. */
  decided: string;
  /** What an agent answered from the code. */
  answeredByCode: string;
  deferred: boolean;
  /** No agent gave a usable answer; that is not the same as nothing to discuss. */
  failed: boolean;
};

/** One question at a time, each with a recommended answer; what the code answers is reported, not asked. */
async function discuss(
  desk: Desk,
  author: Seat,
  {
    round,
    most,
    commission,
    second,
  }: { round: 1 | 2; most?: number; commission: Commission; second?: DiscussionInput['second'] },
): Promise<Discussed> {
  const reply = await tryAuthor(desk, author, {
    key: `discussion-${round}`,
    kind: `discussion-${round}`,
    judgement: 'discussion',
    draft: (schema) => discussionPrompt({ commission, schema, ...(second === undefined ? {} : { second }) }),
    facts: {},
  });
  // Only in the first round: after the review a run may wait for you, so a change may be yours.
  if (round === 1) await desk.checkTree('discussion-collection');
  const points = reply.value?.points ?? [];
  const fewest = round === 1 ? discussionLimits.fewestScopeBranches : 1;
  if (points.length < fewest)
    return {
      count: 0,
      text: '',
      decided: '',
      answeredByCode: '',
      deferred: false,
      failed: reply.value === undefined,
    };
  const { ask, deferred } = planRound(points, most);
  const entries: SettledPoint[] = [];
  for (const [index, point] of points.entries()) {
    const { title, question, answeredByCode } = point;
    if (answeredByCode !== null) {
      entries.push({ title, question, resolution: answeredByCode, source: 'codebase' });
    } else if (ask.includes(point)) {
      const id = `discuss-${round}-${index + 1}-${slugify(title, 24, 'point')}`;
      const answers = await desk.context.ask([questionOf(id, point)]);
      const resolution = resolveAnswer(answers.get(id)?.value ?? '', point);
      entries.push({ title, question, resolution, source: 'user' });
    }
  }
  const from = (source: SettledPoint['source']) =>
    renderDiscussion(entries.filter((entry) => entry.source === source));
  return {
    count: entries.length,
    text: renderDiscussion(entries),
    decided: from('user'),
    answeredByCode: from('codebase'),
    deferred: deferred.length > 0,
    failed: false,
  };
}

function questionOf(
  id: string,
  { question, recommended, options }: { question: string; recommended: string; options: readonly string[] },
): Question {
  const detail = optionsDetail(options);
  return { id, text: question, ...(detail === undefined ? {} : { detail }), recommended };
}
