import { z } from 'zod';
import { laneKinds } from './lane-kinds.ts';
import { questionSchema } from './questions.ts';

/** How an agent call ended. */
export const laneKindSchema = z.enum(laneKinds);

export const usageSchema = z.looseObject({
  basis: z.enum(['measured', 'estimated', 'unknown']).describe('How far the numbers can be trusted.'),
  inputTokens: z.number().nonnegative(),
  cachedInputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  reasoningTokens: z.number().nonnegative().optional(),
  usd: z.number().nonnegative().optional(),
});

const text = z.string();
const milliseconds = z.number().nonnegative();
const attempt = z.int().positive();

const frame = {
  v: z.literal(1),
  id: z.string().min(1).describe('An event with an id that is there already is not written again.'),
  run: z.string().min(1),
  seq: z.int().positive().describe('Counts the events of a run from 1.'),
  time: z.iso.datetime(),
};

function event<Type extends string, Body extends z.ZodRawShape>(type: Type, body: Body) {
  return z.looseObject({ ...frame, type: z.literal(type), ...body });
}

/** One line of events.jsonl, and one event of `--output stream-json`. */
export const eventSchema = z.discriminatedUnion('type', [
  event('run-start', { workflow: text, title: text }),
  event('run-resume', { attempt: z.int().nonnegative() }),
  event('run-pause', { reason: z.enum(['question', 'stop']) }),
  event('run-end', { status: text, exit: z.int(), message: text.optional() }),
  event('phase-start', { phase: text, line: text }),
  event('phase-end', { phase: text, line: text.optional(), elapsedMs: milliseconds }),
  event('phase-skip', { phase: text, line: text, elapsedMs: milliseconds }),
  event('warning', { phase: text.optional(), text }),
  event('note', { phase: text.optional(), text }),
  event('body', { heading: text, text }),
  event('lane-queue', { lane: text, task: text, seat: text, label: text, phase: text }),
  event('lane-start', { lane: text, agent: text, attempt }),
  event('lane-retry', { lane: text, agent: text, attempt, kind: laneKindSchema, message: text }),
  event('lane-end', {
    lane: text,
    agent: text,
    kind: laneKindSchema,
    message: text.optional(),
    elapsedMs: milliseconds,
    usage: usageSchema,
  }),
  event('question-ask', { questions: z.array(questionSchema) }),
  event('question-answer', {
    answers: z.array(z.looseObject({ question: text, value: text, source: text })),
  }),
  event('artifact-write', { name: text, bytes: z.int().nonnegative(), digest: text }),
  event('record', { name: text, value: z.unknown() }),
]);
