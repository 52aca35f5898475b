import { z } from 'zod';
import { protocols } from './calls.ts';

const name = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'takes lower-case letters, digits and dashes');
const positive = z.number().positive();
/** What a seat presses on; names of stances and panels look like those of agents. */
const seats = z
  .array(
    z.strictObject({
      agent: name.optional().describe('Default: the agent with the fewest seats.'),
      model: z.string().min(1).optional(),
      effort: z.string().min(1).optional(),
      stance: name.optional().describe('A built-in stance or one of `stances`; default: `generic`.'),
      family: z
        .string()
        .min(1)
        .optional()
        .describe('An agent of this family; with `agent`: who made its model.'),
    }),
  )
  .min(1)
  .max(40);

/** One agent, as the project or the user declares it. */
export const agentConfigSchema = z.strictObject({
  protocol: z.enum(protocols).describe('How the program is spoken to.'),
  command: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Program and arguments; found on PATH when absent.'),
  model: z.string().min(1).optional(),
  effort: z.string().min(1).optional().describe('Reasoning effort, where the agent takes one.'),
  family: z
    .string()
    .min(1)
    .optional()
    .describe('Who made the model; judges of the author’s family count less.'),
  account: z
    .string()
    .min(1)
    .optional()
    .describe('Agents with the same account share its limits; default: what identifies the login.'),
  parallel: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .describe('Calls at the same time, over all runs on this machine.'),
  baseUrl: z.url().optional().describe('For `model`: an OpenAI-, Anthropic- or Google-compatible address.'),
  provider: z.enum(['openai', 'anthropic', 'google', 'openai-compatible']).optional(),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe('Variables for the program, beyond the safelist.'),
  passEnv: z.array(z.string()).optional().describe('Names of variables that are passed on from the caller.'),
  enabled: z.boolean().optional(),
});

/** Who answers for a model: an agent, or an agent with another model and effort. */
const modelTarget = z.union([
  z.string().min(1),
  z.strictObject({
    agent: z.string().min(1),
    model: z.string().min(1).optional(),
    effort: z.string().min(1).optional(),
  }),
]);

/** How a PostgreSQL server is named. */
export const serverAddress = 'postgresql://user:password@host/database';

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  agents: z.record(name, agentConfigSchema).optional().describe('Agents by name; found ones are added.'),
  detect: z.boolean().optional().describe('Whether agents on PATH are used without being declared.'),
  store: z
    .union(
      [
        z.literal('embedded'),
        z.strictObject({
          url: z
            .string()
            // Without the value: the address has a password.
            .regex(/^postgres(?:ql)?:\/\//, `takes ${serverAddress}`)
            .refine((url) => URL.canParse(url), `takes ${serverAddress}`),
        }),
      ],
      { error: `expected "embedded" or {"url": "${serverAddress}"}` },
    )
    .optional(),
  databaseRetrySeconds: positive
    .optional()
    .describe(
      'Seconds for which a run waits for a PostgreSQL server that stopped answering; 300 when absent.',
    ),
  panel: name.optional().describe('`diagonal`, `wide`, `pair`, `solo`, or one of `panels`.'),
  panels: z
    .record(
      name,
      z.strictObject({
        extends: name.optional().describe('Another panel; lists that are given here replace those of it.'),
        sketch: seats.optional(),
        review: seats.optional(),
        judge: seats.optional(),
        vote: seats.optional(),
        author: name.optional().describe('The agent that writes; `--author` wins.'),
        quorum: z
          .strictObject({
            families: z
              .int()
              .min(1)
              .optional()
              .describe('With fewer in review or vote a result is degraded.'),
            reviewers: z.int().min(1).optional().describe('With fewer reviews a result is degraded.'),
          })
          .optional(),
        rounds: z
          .union([z.literal(1), z.literal(2)])
          .optional()
          .describe('Rounds of review at most.'),
      }),
    )
    .optional()
    .describe('Panels of your own, for `--panel` and `panel`.'),
  stances: z
    .record(
      name,
      z.union([
        z.string().min(1).max(20_000),
        z.strictObject({ file: z.string().min(1).describe('A file of the project.') }),
      ]),
    )
    .optional()
    .describe('Points of view of your own: what a seat presses on, as text or in a file.'),
  seating: z
    .literal('roster', { error: 'takes "roster"; seating by record is not available' })
    .optional()
    .describe('Agents take seats in the order of `agents`.'),
  author: name.optional().describe('The agent that writes synthesis, plan and revision.'),
  dialectic: z.enum(['off', 'advisory', 'binding']).optional(),
  debates: z
    .enum(['bucket', 'diagonal'])
    .optional()
    .describe('Both sides of a decision by one agent in turn, or by two.'),
  sketches: z.union([z.literal(0), z.literal(2), z.literal(4)]).optional(),
  consent: z.boolean().optional().describe('True: runs start without asking for consent to call the agents.'),
  limits: z
    .strictObject({
      maxTokens: positive.optional(),
      maxUsd: positive.optional(),
      agentSeconds: z
        .int()
        .min(1)
        .optional()
        .describe('Time of one agent call at most; the tasks’ own limits stay as upper bounds.'),
      parallel: z.int().min(1).max(64).optional().describe('Agent calls at the same time.'),
    })
    .optional(),
  queue: z
    .strictObject({
      runs: z.int().min(1).optional().describe('Runs in parallel, over all workers.'),
      perWorker: z.int().min(1).optional().describe('Runs in parallel in one worker.'),
      perRepository: z
        .int()
        .min(1)
        .optional()
        .describe('Runs in parallel on one repository, over all workers.'),
      rate: z
        .strictObject({ runs: z.int().min(1), seconds: positive.max(86_400) })
        .optional()
        .describe('So many runs may begin within so many seconds, over all workers.'),
      agents: z
        .record(
          name,
          z.strictObject({
            parallel: z.int().min(1).optional().describe('Calls at the same time, over all workers.'),
            rate: z
              .strictObject({ calls: z.int().min(1), seconds: positive.max(86_400) })
              .optional()
              .describe('So many calls may begin within so many seconds, over all workers.'),
          }),
        )
        .optional()
        .describe('Limits on calls, by agent.'),
      heartbeatTimeoutSeconds: z
        .number()
        .min(1)
        .max(3600)
        .optional()
        .describe('A worker without a heartbeat for so long loses its runs to the others.'),
      drainSeconds: z
        .number()
        .min(0)
        .max(3600)
        .optional()
        .describe('How long a stopping worker waits for calls in progress.'),
      keepDays: z
        .number()
        .min(0)
        .max(3650)
        .optional()
        .describe('How long the store keeps the files of a run that has ended.'),
    })
    .optional()
    .describe('For `charrette worker`; every worker of a store should have the same.'),
  prices: z
    .record(
      z.string(),
      z.strictObject({ input: z.number().min(0), cachedInput: z.number().min(0), output: z.number().min(0) }),
    )
    .optional()
    .describe(
      'US dollars per million tokens, by the beginning of a model’s name; wins over the shipped list.',
    ),
  quota: z
    .strictObject({
      onLimit: z
        .enum(['fallback', 'wait', 'ask', 'stop'])
        .optional()
        .describe(
          'When an account is used up: continue without it, wait for its reset, ask, or stop; `ask` when absent.',
        ),
      maxWait: positive
        .max(168)
        .optional()
        .describe('Hours that a run waits for a reset at most; 6 when absent.'),
    })
    .optional(),
  workflow: z
    .strictObject({
      models: z
        .record(z.string(), modelTarget)
        .optional()
        .describe('Which agent answers for a model that a workflow file names.'),
      tiers: z
        .strictObject({
          strong: modelTarget.optional(),
          standard: modelTarget.optional(),
          light: modelTarget.optional(),
        })
        .optional()
        .describe('Which agent answers for models of a tier that no agent has: opus, sonnet, haiku.'),
    })
    .optional()
    .describe('For `charrette run`.'),
  padding: z.boolean().optional().describe('Whether a missing vendor’s seat is filled by another agent.'),
  acceptDegraded: z
    .boolean()
    .optional()
    .describe('True: a design that fewer than two families reviewed or voted on is accepted.'),
  git: z
    .strictObject({
      mainBranch: z
        .string()
        .min(1)
        .optional()
        .describe('Instead of what the remote, or the repository, calls it.'),
      remote: z.string().min(1).optional().describe('Instead of `origin`.'),
      remoteRequired: z.boolean().optional().describe('True: without the remote no design starts.'),
      branch: z
        .enum(['create', 'never'])
        .optional()
        .describe('Whether `design` makes a branch; `never` plans on the current tree.'),
    })
    .optional(),
  rules: z
    .strictObject({
      health: z
        .enum(['after-failed-reprobe', 'after-one-lane'])
        .optional()
        .describe('When an agent that failed is off for the rest of a run.'),
      exonerate: z
        .boolean()
        .optional()
        .describe('False: voters say YES or NO; a stray EXONERATE counts as NO.'),
      outOfScopeScoring: z
        .enum(['reward-only', 'symmetric'])
        .optional()
        .describe('Whether a dismissed out-of-scope item costs its reviewer a point.'),
    })
    .optional()
    .describe('Rules of the panel that can be set.'),
  artifacts: z
    .record(
      z.string().regex(/^[a-z-]+\/[a-z-]+$/, 'takes <command>/<role>'),
      z.array(z.enum(['prd', 'spec', 'design', 'plan', 'tasks'])),
    )
    .optional()
    .describe('What a role of the feature pipeline must read instead of its usual list.'),
});

export type Config = z.infer<typeof configSchema>;
