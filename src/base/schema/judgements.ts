import { z } from 'zod';
import { isRecord } from '../safe-json.ts';
import { changeReviewSchema } from './judgements/change-review.ts';
import { defenceSchema, verdictSchema } from './judgements/debate.ts';
import {
  branchFitSchema,
  diagramSchema,
  discussionSchema,
  exploreSchema,
  questionsSchema,
  sketchSchema,
  synthesisSchema,
} from './judgements/design.ts';
import {
  codeReviewSchema,
  executionSchema,
  explorationSchema,
  litePlanAnswerSchema,
} from './judgements/lite.ts';
import { comparisonSchema, planSchema } from './judgements/plan.ts';
import { contractReviewSchema, contractSchema, evaluationSchema } from './judgements/refine.ts';
import { mergeSchema, reviewSchema, revisionSchema, voteSchema } from './judgements/review.ts';
import { problemLine, readAs } from './primitives.ts';

type StrictJsonSchema = { readonly [key: string]: unknown };

/** Bounds that some strict providers refuse in a schema; they are in the description, and we check them. */
const boundKeys = {
  minLength: (value: unknown) => (value === 1 ? 'not empty' : `at least ${value} characters`),
  maxLength: (value: unknown) => `at most ${value} characters`,
  minItems: (value: unknown) => `at least ${value} items`,
  maxItems: (value: unknown) => `at most ${value} items`,
  minimum: (value: unknown) => `at least ${value}`,
  maximum: (value: unknown) => `at most ${value}`,
} as const;

/** Keys that carry nothing for a provider, or that strict modes reject. */
const droppedKeys = ['default', 'pattern', 'format', 'exclusiveMinimum', 'exclusiveMaximum'];

/**
 * The JSON Schema of an answer in the subset every strict provider takes: closed objects, every key required, no bounds,
 * no references. What was dropped is written into the descriptions.
 */
function strictJsonSchema(schema: z.ZodType): StrictJsonSchema {
  const { $schema: _, ...document } = z.toJSONSchema(schema, { io: 'output', reused: 'inline' });
  return simplify(document);
}

type Node = { [key: string]: unknown };

function simplify(node: Node): Node {
  const bounds = Object.entries(boundKeys)
    .filter(([key]) => key in node && Math.abs(Number(node[key])) < Number.MAX_SAFE_INTEGER)
    .map(([key, say]) => say(node[key]));
  const kept = Object.entries(node).filter(([key]) => !(key in boundKeys) && !droppedKeys.includes(key));
  const result = Object.fromEntries(kept.map(([key, child]) => [key, simplifyPart(key, child)]));
  const description = [node['description'], bounds.length > 0 ? `(${bounds.join(', ')})` : undefined];
  const said = description.filter((part) => part !== undefined).join(' ');
  return said === '' ? result : { ...result, description: said };
}

function simplifyPart(key: string, part: unknown): unknown {
  if (key === 'items') return simplify(part as Node);
  if (key === 'anyOf') return (part as Node[]).map(simplify);
  if (key === 'properties') {
    return Object.fromEntries(
      Object.entries(part as Record<string, Node>).map(([name, child]) => [name, simplify(child)]),
    );
  }
  return part;
}

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
  'change-review': changeReviewSchema,
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
