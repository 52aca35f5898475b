import { z } from 'zod';
import { line, list, nullable, prose, repositoryPath, seats } from '../primitives.ts';

export const impacts = ['High', 'Medium', 'Low'] as const;
export type Impact = (typeof impacts)[number];

export const ideaUses = ['adopted', 'preserved', 'declined'] as const;

/** L-453: one decision on which the sketches disagree. */
export const contestedDecisionSchema = z.object({
  title: line(160),
  chosen: line(2000).describe('What the synthesis chooses.'),
  alternative: line(2000).describe('The strongest alternative.'),
  tension: line(3000).describe('Which sketches diverge and why.'),
  impact: z.enum(impacts),
  affectedFiles: list(repositoryPath(), 60),
  chosenSeats: seats().describe('Seats whose sketch is on the side of the choice.'),
  alternativeSeats: seats().describe('Seats on any other side.'),
});

/** L-450, L-451: what the sketches agree on, where they part, and what is taken from whom. */
export const synthesisSchema = z.object({
  summary: prose(4000).describe('The combined approach.'),
  agreements: list(z.object({ point: prose(2000), seats: seats() }), 60),
  divergences: list(
    z.object({
      topic: line(200),
      positions: list(z.object({ position: prose(2000), seats: seats() }), 12),
      call: prose(2000).describe('The call made on this point.'),
      reason: prose(3000).describe('Why.'),
    }),
    60,
  ),
  ideas: list(
    z.object({
      idea: prose(2000),
      seats: seats().describe('Seats the idea came from.'),
      use: z.enum(ideaUses),
      reason: prose(2000),
    }),
    100,
  ).describe('Ideas of each sketch and what becomes of them.'),
  highlights: nullable(
    z.object({
      architecture: list(prose(2000), 30).describe('Architecture and standards concerns for the plan.'),
      pragmatism: list(prose(2000), 30).describe('Warnings about regression risk or needless complexity.'),
      edgeCases: list(prose(2000), 30).describe('Failure risks for the failure-modes section.'),
      innovation: list(prose(2000), 30).describe('Alternatives worth keeping though not chosen.'),
    }),
  ).describe('Only when the sketches had stances; null for generic sketches.'),
  contested: list(contestedDecisionSchema, 60).describe(
    'Decisions on which sketches disagree; empty if none.',
  ),
});

export type ContestedDecision = z.infer<typeof contestedDecisionSchema>;
export type Synthesis = z.infer<typeof synthesisSchema>;
