import { isRecord } from '../base/safe-json.ts';
import type { Defence, Side, Verdict } from '../base/schema/judgements/debate.ts';
import type { Sketch, Synthesis } from '../base/schema/judgements/design.ts';
import type { CodeReview, Exploration, LitePlanAnswer } from '../base/schema/judgements/lite.ts';
import type { Plan } from '../base/schema/judgements/plan.ts';
import type { ContractOffer, ContractReview, Evaluation } from '../base/schema/judgements/refine.ts';
import type { Revision, Vote } from '../base/schema/judgements/review.ts';
import type { Complexity } from '../base/schema/lite/plan.ts';
import { checkSide, defenceReading } from '../council/defence.ts';
import { votesOfVerdict, withJudgeRepair } from '../council/judge.ts';
import { checkSketchText } from '../council/substantive.ts';
import { synthesisProblems } from '../council/synthesis.ts';
import { votesOf, withRepair } from '../council/votes.ts';
import type { DecidedPoint } from '../plan/grounding/decisions.ts';
import { filesFromAnswer } from '../plan/tasks/plan-files.ts';
import { decisionProblems, planProblems, revisionProblems } from '../plan/validate.ts';
import { evaluationProblems, offerProblems } from './refine/rules/leak.ts';
import { debateNumbers } from './text-answers.ts';

/** Demands on an answer that its schema cannot say, by task: the problems, none when it is right. */
type Check = (value: never, input: Record<string, unknown>) => string[];

const checks: Readonly<Record<string, Check>> = {
  // L-373: at least a paragraph.
  sketch: (value: Sketch) => {
    const verdict = checkSketchText(value.approach);
    return verdict.ok ? [] : [`approach: ${verdict.reason}`];
  },
  // L-451, L-453: highlights where they were asked for, seats that sketched, two sides to every decision.
  synthesis: (value: Synthesis, input) =>
    synthesisProblems(value, {
      labels: seatsIn(input['sketches']),
      highlights: input['highlights'] === true,
    }),
  // L-566: the plan can go to review.
  plan: (value: Plan, input) => planProblems(value, { decided: decidedIn(input) }),
  // L-690, L-698: every accepted finding is dealt with, and nothing else; L-562: voted resolutions are still followed.
  'revise-plan': (value: Revision, input) => {
    const accepted = idsOf(input['accepted']);
    return [
      ...(accepted.length === 0 ? [] : revisionProblems(accepted, input['plan'] as Plan, value)),
      ...decisionProblems(value.plan, decidedIn(input)),
    ];
  },
  // L-501: a defence that could not go before the judges gets its corrective turn.
  'debate-thesis': (value: Defence) => sideProblems(value, 'THESIS'),
  'debate-antithesis': (value: Defence) => sideProblems(value, 'ANTI_THESIS'),
  // C-21: a missing line, or two that differ, is a fault of the voter and gets the repair turn.
  vote: (value: Vote, input) => {
    const { missing } = votesOf(value, idsOf(input['items']));
    return missing.length === 0 ? [] : [unclearVotes(missing)];
  },
  // L-518: before a decision without a clear vote is an abstention, the judge is asked once more.
  judge: (value: Verdict, input) => {
    const numbers = debateNumbers(input);
    const { votes } = votesOfVerdict('', value, numbers);
    const missing = numbers.filter((number) => votes[number] === undefined);
    return missing.length === 0 ? [] : [unclearVotes(missing.map((number) => `DECISION_${number}`))];
  },
  // P-046: a reason is more than a word.
  explore: (value: Exploration) =>
    (value.relevant_files ?? [])
      .filter(({ rationale }) => rationale.length < 10)
      .map(({ path }) => `relevant_files ${path}: the rationale says too little`),
  // P-068, P-069: tasks that can be carried out and checked.
  'lite-plan': (value: LitePlanAnswer, input) => {
    const facts = { session: 'check', timestamp: 'now', angles: [], baseCommit: undefined };
    const complexity = (input['complexity'] as Complexity | undefined) ?? 'Medium';
    const quality = filesFromAnswer(value, { ...facts, complexity }).plan._metadata.quality_check;
    return [...(quality?.critical ?? []), ...(quality?.minor ?? [])];
  },
  // P-150: a criterion that nobody speaks of is not verified.
  'code-review': (value: CodeReview, input) => {
    const said = new Set(value.criteria.map(({ task_id, number }) => `${task_id}#${number}`));
    const missing = idsOf(input['criteria']).filter((id) => !said.has(id));
    return missing.length === 0 ? [] : [`criteria ${missing.join(', ')} are missing`];
  },
  // RF-06: exactly the contracted criteria, each number at its anchor.
  evaluate: (value: Evaluation, input) => evaluationProblems(value, idsOf(input['criteria'])),
  // RF-13: words that would pass for a verdict on an earlier round never get into a contract.
  'contract-offer': (value: ContractOffer, input) =>
    offerProblems(value.criteria, idsOf(input['dimensions'])),
  'contract-review': (value: ContractReview, input) =>
    offerProblems(value.criteria, idsOf(input['dimensions'])),
  // C-32: every id exactly once.
  'merge-findings': (value: { clusters: { ids: string[] }[] }, input) => {
    const given = value.clusters.flatMap(({ ids }) => ids);
    const wanted = idsOf(input['items']);
    const problems = wanted.filter((id) => given.filter((other) => other === id).length !== 1);
    const unknown = given.filter((id) => !wanted.includes(id));
    return [
      ...(problems.length === 0 ? [] : [`each of ${problems.join(', ')} must be in exactly one cluster`]),
      ...(unknown.length === 0 ? [] : [`${unknown.join(', ')} are not among the findings`]),
    ];
  },
};

/** What a repair turn adds to an answer that was right as far as it went; elsewhere it takes its place. */
const completions: Readonly<Record<string, (first: never, repair: never) => unknown>> = {
  vote: withRepair,
  judge: withJudgeRepair,
};

export function completeAnswer(task: string, first: unknown, repair: unknown): unknown {
  const complete = Object.hasOwn(completions, task) ? completions[task] : undefined;
  return first === undefined || complete === undefined ? repair : complete(first as never, repair as never);
}

/** Tasks whose answer is of no use when it fails its check; for the others the rest of the run copes with what is there. */
const strict: readonly string[] = ['sketch', 'evaluate'];

export function isStrict(task: string): boolean {
  return strict.includes(task);
}

export function checkAnswer(task: string, value: unknown, input: unknown): string[] {
  const check = Object.hasOwn(checks, task) ? checks[task] : undefined;
  return check === undefined ? [] : check(value as never, isRecord(input) ? input : {});
}

function unclearVotes(ids: readonly string[]): string {
  return `votes on ${ids.join(', ')} are missing or contradict each other`;
}

function sideProblems(defence: Defence, side: Side): string[] {
  const failure = checkSide(defenceReading(defence), side);
  return failure === undefined ? [] : [`${failure.reason}: ${failure.detail}`];
}

function decidedIn({ decided }: Record<string, unknown>): DecidedPoint[] {
  return Array.isArray(decided) ? (decided as DecidedPoint[]) : [];
}

function seatsIn(sketches: unknown): string[] {
  return Array.isArray(sketches)
    ? sketches.flatMap((item) => (isRecord(item) && typeof item['seat'] === 'string' ? [item['seat']] : []))
    : [];
}

function idsOf(list: unknown): string[] {
  return Array.isArray(list)
    ? list.flatMap((item) => (isRecord(item) && typeof item['id'] === 'string' ? [item['id']] : []))
    : [];
}
