import { z } from 'zod';
import { line, list, nullable, prose } from '../primitives.ts';

const criterion = z.object({
  criterion: line(400).describe('What must hold, so that a reader can answer yes or no.'),
  dimension: line(60).describe('Id of the dimension it belongs to.'),
  verification: line(400).describe('How it is checked.'),
});

const scenario = z.object({ description: line(400), tool: line(80), command: nullable(line(400)) });

/** What a builder offers to be held to. */
export const contractSchema = z.object({ criteria: list(criterion, 30), scenarios: list(scenario, 20) });

/** How an evaluator replies to the offer: agreed unchanged, or the list that it wants. */
export const contractReviewSchema = z.object({
  agreed: z.boolean(),
  criteria: list(criterion, 30).describe('The whole list as it should be; may be left out when agreed.'),
});

const anchorSchema = z.enum(['0.25', '0.50', '0.75', '1.00']);

/** What an evaluator says about the criteria of a contract: checks with a number, its anchor and what shows it. */
export const evaluationSchema = z.object({
  criteria: z
    .array(
      z.object({
        id: line(20).describe('Id of the criterion, such as C-03.'),
        checks: z
          .array(
            z.object({
              what: line(300).describe('What was inspected.'),
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
