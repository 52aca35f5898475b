import { z } from 'zod';
import { configSchema } from './config.ts';
import { planSchema } from './judgements/plan.ts';
import { litePlanSchema, liteTaskSchema } from './lite/plan.ts';
import { executionContextSchema, explorationFileSchema, testChecklistSchema } from './lite/session-files.ts';
import { answerFileSchema, eventSchema, questionFileSchema, runRecordSchema } from './run-files.ts';

const gateSchema = z.enum(['PASS', 'REVIEW', 'FAIL']);

/** What `skill lint --json` prints. */
const lintResultSchema = z.looseObject({
  gate: gateSchema,
  packages: z.array(
    z.looseObject({
      path: z.string(),
      name: z.string(),
      profile: z.string(),
      gate: gateSchema,
      findings: z.array(
        z.looseObject({
          rule: z.string(),
          severity: z.enum(['error', 'warning', 'info']),
          file: z.string(),
          line: z.int().nonnegative(),
          message: z.string(),
          fixable: z.boolean(),
          /** The source that the text was copied from unchanged; such a finding does not count for the gate. */
          inherited: z.string().optional(),
        }),
      ),
      /** Number of inherited findings. */
      inherited: z.int().nonnegative(),
    }),
  ),
});

/** Formats that other programs read or write; `schemas/<name>.json` ships with the package. */
const published = {
  run: { schema: runRecordSchema, title: 'run.json: the record of a run' },
  questions: { schema: questionFileSchema, title: 'questions.json: what a run asks and what was answered' },
  answers: { schema: answerFileSchema, title: 'Answers for --answers and `answer --file`' },
  event: { schema: eventSchema, title: 'One line of events.jsonl, and one event of --output stream-json' },
  plan: { schema: planSchema, title: 'plan.json: an implementation plan' },
  'lite-plan': { schema: litePlanSchema, title: 'plan.json of a lite plan' },
  exploration: { schema: explorationFileSchema, title: 'One exploration of a lite plan' },
  'execution-context': { schema: executionContextSchema, title: 'What a lite plan hands over to execution' },
  'test-checklist': { schema: testChecklistSchema, title: 'Criteria and tests of a lite execution' },
  task: { schema: liteTaskSchema, title: 'One task file of a lite plan' },
  config: { schema: configSchema, title: 'charrette.config.json' },
  'lint-result': { schema: lintResultSchema, title: 'What `skill lint --json` prints' },
} as const;

/** File name → content of every JSON Schema that is shipped. */
export function publishedSchemas(): Map<string, string> {
  return new Map(
    Object.entries(published).map(([name, { schema, title }]) => {
      const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      return [`${name}.json`, `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`];
    }),
  );
}
