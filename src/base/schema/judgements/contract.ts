import { z } from 'zod';
import { line, list, nullable } from '../primitives.ts';

const criterion = z.object({
  criterion: line(400).describe('What must hold, so that somebody who looks can say yes or no.'),
  dimension: line(60).describe('Id of the dimension it belongs to.'),
  verification: line(400).describe('How it is checked.'),
});

const scenario = z.object({ description: line(400), tool: line(80), command: nullable(line(400)) });

/** What a builder offers to be held to. */
export const contractSchema = z.object({ criteria: list(criterion, 30), scenarios: list(scenario, 20) });

/** What an evaluator makes of the offer: agreed as it is, or the list as it should be. */
export const contractReviewSchema = z.object({
  agreed: z.boolean(),
  criteria: list(criterion, 30).describe('The whole list as it should be; may be left out when agreed.'),
});

export type ContractOffer = z.infer<typeof contractSchema>;
export type ContractReview = z.infer<typeof contractReviewSchema>;
