import { z } from 'zod';
import { laneKinds } from './calls.ts';

export const runStatusSchema = z.enum([
  'queued',
  'running',
  'paused',
  'done',
  'not-accepted',
  'failed',
  'cancelled',
  'stopped',
]);

const processSchema = z
  .looseObject({
    pid: z.int().positive(),
    started: z
      .string()
      .describe('Start time in clock ticks since boot; tells processes of one number apart.'),
    host: z.string(),
  })
  .describe('The process that works on the run, or did so last.');

export const degradedSchema = z
  .array(
    z.looseObject({
      role: z.string().describe('For example `sketch`, `judge`, `author`, `review`, `vote` or `executor`.'),
      seat: z.string(),
      planned: z.string().describe('The agent that was announced for the seat.'),
      actual: z.string().nullable().describe('The agent that took it; null when its answer is missing.'),
      reason: z.string(),
    }),
  )
  .optional()
  .describe('Seats that ended with less than was announced when the run started.');

/** run.json. Fields that a version does not know are kept. */
export const runRecordSchema = z.looseObject({
  schemaVersion: z.literal(1),
  run: z.string().min(1),
  workflow: z.string().min(1),
  codeVersion: z.string().min(1).describe('A run continues only under the workflow code that started it.'),
  title: z.string(),
  inputs: z.unknown().describe('What the workflow was started with; each workflow has its own.'),
  baseCommit: z.string().optional().describe('The commit the run is about.'),
  branch: z
    .looseObject({
      name: z.string(),
      created: z.boolean().describe('False: the branch existed before the run.'),
      previous: z.string().describe('The branch or commit that was checked out before.'),
      merge: z
        .string()
        .optional()
        .describe('A merge of the local and the remote main branch that the run made.'),
    })
    .optional()
    .describe('The branch that a design checked out.'),
  status: runStatusSchema,
  created: z.iso.datetime(),
  queue: z
    .looseObject({ labels: z.array(z.string()), yes: z.boolean() })
    .optional()
    .describe('The run was made for the queue of a shared store; `yes`: recommended answers are taken.'),
  imported: z.literal(true).optional().describe('It came from an archive and has not continued since.'),
  process: processSchema.optional(),
  lost: z
    .array(z.string())
    .optional()
    .describe(
      'Parts of the record that were deleted or emptied from outside and could not be rebuilt in full.',
    ),
  sleeping: z
    .looseObject({ until: z.iso.datetime(), reason: z.string() })
    .optional()
    .describe('The run waits for the reset of an account and continues by itself.'),
  degraded: degradedSchema,
  oneSided: z
    .array(z.string())
    .optional()
    .describe('Rounds that fewer than two families answered although two were announced.'),
  ended: z.iso.datetime().optional(),
  exit: z.int().optional().describe('Exit code of the command once the run has ended.'),
  error: z
    .looseObject({ code: z.string(), message: z.string(), fix: z.string().optional() })
    .optional()
    .describe('Why it failed.'),
});

export const questionSchema = z.looseObject({
  id: z.string().min(1).describe('Stable: an answer may come before the question is asked.'),
  text: z.string().min(1),
  detail: z.string().optional().describe('Why it is asked, or what hangs on it.'),
  options: z
    .array(z.looseObject({ value: z.string(), label: z.string() }))
    .optional()
    .describe('Closed choice; default: free text.'),
  recommended: z.string().optional().describe('Taken with --yes.'),
});

export const answerSchema = z.looseObject({
  question: z.string().min(1),
  value: z.string(),
  source: z.enum(['person', 'recommended', 'file']),
});

/** questions.json: the questions of a run and their answers. */
export const questionFileSchema = z.looseObject({
  schemaVersion: z.literal(1),
  run: z.string().min(1),
  questions: z.array(questionSchema),
  answers: z.array(answerSchema),
});

/** What `--answers FILE` and `answer --file FILE` read: question → answer, or questions.json with its answers filled in. */
export const answerFileSchema = z.union([
  z.looseObject({ answers: z.array(z.looseObject({ question: z.string().min(1), value: z.string() })) }),
  z.record(z.string(), z.string()),
]);

/** How an agent call ended. */
const laneKindSchema = z.enum(laneKinds);

const usageSchema = z.looseObject({
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
  event('run-end', { status: text, exit: z.int(), message: text.optional(), degraded: degradedSchema }),
  event('phase-start', { phase: text, line: text }),
  event('phase-end', { phase: text, line: text.optional(), elapsedMs: milliseconds }),
  event('phase-skip', { phase: text, line: text, elapsedMs: milliseconds }),
  event('warning', { phase: text.optional(), text }),
  event('note', { phase: text.optional(), text }),
  event('body', { heading: text, text }),
  event('lane-queue', {
    lane: text,
    task: text,
    seat: text,
    label: text,
    phase: text,
    planned: text.optional().describe('The agent that was announced for the seat.'),
  }),
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
