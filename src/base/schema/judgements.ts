import type { z } from 'zod';
import { isRecord } from '../safe-json.ts';
import { problemLine, readAs } from './issue-words.ts';
import { codeReviewSchema } from './judgements/code-review.ts';
import { comparisonSchema } from './judgements/comparison.ts';
import { contractReviewSchema, contractSchema } from './judgements/contract.ts';
import { defenceSchema } from './judgements/defence.ts';
import { diagramSchema } from './judgements/diagram.ts';
import { evaluationSchema } from './judgements/evaluation.ts';
import { executionSchema } from './judgements/execution.ts';
import { explorationSchema } from './judgements/exploration.ts';
import { branchFitSchema, exploreSchema } from './judgements/explore.ts';
import { reviewSchema } from './judgements/finding.ts';
import { litePlanAnswerSchema } from './judgements/lite-plan.ts';
import { mergeSchema } from './judgements/merge.ts';
import { planSchema } from './judgements/plan.ts';
import { discussionSchema, questionsSchema } from './judgements/questions.ts';
import { revisionSchema } from './judgements/revision.ts';
import { sketchSchema } from './judgements/sketch.ts';
import { synthesisSchema } from './judgements/synthesis.ts';
import { verdictSchema } from './judgements/verdict.ts';
import { voteSchema } from './judgements/vote.ts';
import { type StrictJsonSchema, strictJsonSchema } from './strict-json-schema.ts';

/** Every judgement an agent of the panel can be asked for, by name. */
export const judgements = {
  explore: exploreSchema,
  'branch-fit': branchFitSchema,
  questions: questionsSchema,
  discussion: discussionSchema,
  sketch: sketchSchema,
  synthesis: synthesisSchema,
  defence: defenceSchema,
  verdict: verdictSchema,
  plan: planSchema,
  review: reviewSchema,
  merge: mergeSchema,
  vote: voteSchema,
  revision: revisionSchema,
  diagram: diagramSchema,
  comparison: comparisonSchema,
  exploration: explorationSchema,
  'lite-plan': litePlanAnswerSchema,
  execution: executionSchema,
  'code-review': codeReviewSchema,
  contract: contractSchema,
  'contract-review': contractReviewSchema,
  evaluation: evaluationSchema,
} as const;

export type JudgementName = keyof typeof judgements;
export type Judgement<Name extends JudgementName> = z.infer<(typeof judgements)[Name]>;

/** The JSON Schema to hand to an agent for a judgement. */
export function judgementJsonSchema(name: JudgementName): StrictJsonSchema {
  return strictJsonSchema(judgements[name]);
}

export type JudgementReading<Value> =
  | { ok: true; value: Value }
  /** One line per problem, for the repair turn and for people. */
  | { ok: false; problems: string[] };

/**
 * Checks an answer against its schema; unknown keys are dropped, texts are tidied, missing optional parts filled. An object with
 * none of the keys is another one: a snippet in a review by words would else be a review without findings. So is a
 * summary alone, which every kind of answer may have. Problems call the value `whole`.
 */
export function readJudgement<Name extends JudgementName>(
  name: Name,
  answer: unknown,
  whole = 'the answer',
): JudgementReading<Judgement<Name>> {
  const schema = judgements[name];
  const keys = Object.keys(schema.shape).filter((key) => key !== 'summary');
  if (isRecord(answer) && !keys.some((key) => Object.hasOwn(answer, key)))
    return { ok: false, problems: [`${whole}: it has none of the keys ${keys.join(', ')}`] };
  const first = schema.safeParse(answer);
  const nulls = first.success ? [] : first.error.issues.filter(isNullList).map(({ path }) => path);
  const result = readAs(schema, nulls.length === 0 ? answer : withoutPaths(answer, nulls));
  if (result.ok) return { ok: true, value: result.value as Judgement<Name> };
  return { ok: false, problems: result.problems.slice(0, 20).map((each) => problemLine(each, whole)) };
}

/** Some agents say null where a list may be left out. */
function isNullList(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'array' && issue.message.includes('null');
}

function withoutPaths(answer: unknown, paths: readonly PropertyKey[][]): unknown {
  const copy: unknown = structuredClone(answer);
  for (const path of paths) {
    const holder = path.slice(0, -1).reduce<unknown>(childOf, copy);
    if (typeof holder === 'object' && holder !== null) Reflect.deleteProperty(holder, path.at(-1) ?? '');
  }
  return copy;
}

function childOf(node: unknown, key: PropertyKey): unknown {
  return typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined;
}
