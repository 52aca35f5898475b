import { isDeepStrictEqual } from 'node:util';
import { extractAnswer, readJsonAnswer, wantedBy } from '../../agents/extract-json.ts';
import type { Agent, JsonSchema, LaneResult } from '../../agents/port.ts';
import { isRecord } from '../../base/safe-json.ts';
import type { Defence, Side, Verdict } from '../../base/schema/judgements/debate.ts';
import type { Sketch, Synthesis } from '../../base/schema/judgements/design.ts';
import type { CodeReview, Exploration, LitePlanAnswer } from '../../base/schema/judgements/lite.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Revision, Vote } from '../../base/schema/judgements/review.ts';
import {
  type Judgement,
  type JudgementName,
  type JudgementReading,
  judgementJsonSchema,
  readJudgement,
} from '../../base/schema/judgements.ts';
import type { Complexity } from '../../base/schema/lite/plan.ts';
import type { DecidedPoint } from '../../plan/grounding/grounding.ts';
import { decisionProblems, planProblems, revisionProblems } from '../../plan/plan-text.ts';
import { filesFromAnswer } from '../../plan/tasks/plan-files.ts';
import { checkSide, defenceReading } from '../defence.ts';
import { votesOfVerdict, withJudgeRepair } from '../judge.ts';
import { synthesisProblems } from '../synthesis.ts';
import { votesOf, withRepair } from '../vote.ts';
import type { AnswerForm } from './call.ts';
import { checkSketchText, debateNumbers, readTextAnswer } from './text-answers.ts';

/** Demands on an answer that its schema cannot express: the problems, none when it is right. */
export type AnswerCheck<Name extends JudgementName> = (
  value: Judgement<Name>,
  input: Record<string, unknown>,
) => string[];

/** By task. */
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
  // P-068, P-069: tasks that can be executed and checked.
  'lite-plan': (value: LitePlanAnswer, input) => {
    const facts = { session: 'check', timestamp: 'now', angles: [], baseCommit: undefined };
    const complexity = (input['complexity'] as Complexity | undefined) ?? 'Medium';
    const quality = filesFromAnswer(value, { ...facts, complexity }).plan._metadata.quality_check;
    return [...(quality?.critical ?? []), ...(quality?.minor ?? [])];
  },
  // P-150: a criterion without a verdict is not verified.
  'code-review': (value: CodeReview, input) => {
    const said = new Set(value.criteria.map(({ task_id, number }) => `${task_id}#${number}`));
    const missing = idsOf(input['criteria']).filter((id) => !said.has(id));
    return missing.length === 0 ? [] : [`criteria ${missing.join(', ')} are missing`];
  },
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

/** Tasks whose answer is of no use when it fails its check; for the others the rest of the run copes with what there is. */
const strict: readonly string[] = ['sketch', 'evaluate'];

/** The answer of a task as a judgement of this name. `check`: demands of a workflow's own task. */
export function judgementForm<Name extends JudgementName>(
  judgement: Name,
  { kind, facts, check }: { kind: string; facts: unknown; check?: AnswerCheck<Name> | undefined },
): AnswerForm<Judgement<Name>> {
  const schema = judgementJsonSchema(judgement);
  const input = isRecord(facts) ? facts : {};
  const demands = check ?? (Object.hasOwn(checks, kind) ? (checks[kind] as AnswerCheck<Name>) : undefined);
  const complete = Object.hasOwn(completions, kind) ? completions[kind] : undefined;
  return {
    schema,
    strict: strict.includes(kind),
    find: (agent, result, prompt) => findJudgement(agent, result, { judgement, prompt, input, schema }),
    check(answer, earlier) {
      try {
        const reading = readJudgement(judgement, answer);
        if (!reading.ok) return { problems: reading.problems };
        const completed =
          earlier === undefined || complete === undefined
            ? reading.value
            : complete(earlier as never, reading.value as never);
        const value = completed as Judgement<Name>;
        return { value, problems: problemsIn(() => demands?.(value, input) ?? []) };
      } catch (error) {
        return { problems: [unreadable(error)] };
      }
    },
  };
}

function problemsIn(check: () => string[]): string[] {
  try {
    return check();
  } catch (error) {
    return [unreadable(error)];
  }
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

type Asked = {
  judgement: JudgementName;
  /** What the agent was asked: all JSON in it is by others. */
  prompt: string;
  input: unknown;
  schema: JsonSchema;
};

/**
 * Reads the judgement out of an answer, before the answer is saved. JSON goes first, and words around it never count. An answer
 * without any JSON is read as plain text, but only from an agent whose end of answer is reliable: half a text looks like a whole one.
 */
export function findJudgement(
  { capabilities }: Pick<Agent, 'capabilities'>,
  result: LaneResult,
  asked: Asked,
): LaneResult {
  const { message: _, value, ...answer } = result;
  if (result.kind !== 'ok' && result.kind !== 'bad_output') return result;
  try {
    const { judgement, schema, prompt } = asked;
    // Some programs give the value next to the text; it is final.
    if (value !== undefined && !isDeepStrictEqual(extractAnswer(result.text, schema), value)) return result;
    const inJson = readJsonAnswer(result.text, {
      ...wantedBy(schema),
      fits: (each) => readJudgement(judgement, each).ok,
      shown: [prompt],
      whole: ballots.includes(judgement),
    });
    if (inJson.kind === 'found') return { ...answer, kind: 'ok', value: inJson.value };
    // The repair turn says what is wrong with it.
    if (inJson.kind === 'unfit') return { ...result, value: inJson.value };
    if (inJson.kind === 'repeated') return { ...answer, kind: 'bad_output', message: repetition };
    if (inJson.kind === 'cut-off') return { ...answer, kind: 'bad_output', message: 'The JSON is cut off.' };
    if (inJson.value !== undefined && ballots.includes(judgement)) return result;
    const inText = textReading(result.text, asked);
    return inText.ok && capabilities.trust === 'terminal-event'
      ? { ...answer, kind: 'ok', value: inText.value }
      : result;
  } catch (error) {
    return { ...result, kind: 'bad_output', message: unreadable(error) };
  }
}

/** These need no snippets: any object in such an answer is meant as the answer, also one of the wrong form. */
const ballots: readonly JudgementName[] = ['vote', 'verdict', 'comparison'];

const repetition = 'The JSON in the answer only repeats what was shown.';

/** A text made to break its reader is a bad answer of one lane, not the end of the run. */
function unreadable(error: unknown): string {
  return `the answer cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

function textReading(text: string, { judgement, input }: Asked): JudgementReading<unknown> {
  if (text.trim() === '') return { ok: false, problems: [] };
  return readJudgement(judgement, readTextAnswer(judgement, text, input));
}
