import { z } from 'zod';
import { line, list, prose } from '../primitives.ts';

export const anchorSchema = z.enum(['0.25', '0.50', '0.75', '1.00']);

/** What an evaluator says about the criteria of a contract: checks with a number, its anchor and what shows it. */
export const evaluationSchema = z.object({
  criteria: z
    .array(
      z.object({
        id: line(20).describe('Id of the criterion, such as C-03.'),
        checks: z
          .array(
            z.object({
              what: line(300).describe('What was looked at.'),
              score: z.number().min(0).max(1),
              anchor: anchorSchema.describe('The anchor that the number lies at.'),
              evidence: prose(2000).describe('What shows it: file and line, or what is seen.'),
            }),
          )
          .min(1)
          .max(12),
      }),
    )
    .max(80)
    .describe('Every criterion of the contract, once.'),
  advice: list(prose(1000), 12).describe('What the builder should do next, the most important first.'),
});

export type Evaluation = z.infer<typeof evaluationSchema>;
