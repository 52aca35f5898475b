import { z } from 'zod';

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

export const processSchema = z
  .looseObject({
    pid: z.int().positive(),
    started: z
      .string()
      .describe('Start time in clock ticks since boot; tells processes of one number apart.'),
    host: z.string(),
  })
  .describe('The process that works on the run, or did so last.');

/** run.json. Fields that a version does not know are kept. */
export const runRecordSchema = z.looseObject({
  schemaVersion: z.literal(1),
  run: z.string().min(1),
  workflow: z.string().min(1),
  codeVersion: z.string().min(1).describe('A run goes on only under the workflow code that started it.'),
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
  imported: z.literal(true).optional().describe('It came from an archive and has not gone on since.'),
  process: processSchema.optional(),
  ended: z.iso.datetime().optional(),
  exit: z.int().optional().describe('Exit code of the command once the run has ended.'),
  error: z
    .looseObject({ code: z.string(), message: z.string(), fix: z.string().optional() })
    .optional()
    .describe('Why it failed.'),
});
