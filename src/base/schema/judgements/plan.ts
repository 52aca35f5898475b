import { z } from 'zod';
import { decisionId, line, list, nullable, prose, repositoryPath, symbolName } from '../primitives.ts';

const comparisonChoices = ['A', 'B', 'TIE'] as const;
export type ComparisonChoice = (typeof comparisonChoices)[number];

/** A blind verdict on two plans for the same feature. */
export const comparisonSchema = z.object({
  better: z.enum(comparisonChoices).describe('The plan you would hand to the builders; TIE when neither.'),
  reason: prose(4000),
  coveredByA: list(z.int().min(1).max(99), 99).describe('Numbers of the criteria that plan A would meet.'),
  coveredByB: list(z.int().min(1).max(99), 99).describe('Numbers of the criteria that plan B would meet.'),
});

export type Comparison = z.infer<typeof comparisonSchema>;

export const fileActions = ['new', 'modify', 'delete'] as const;
export type FileAction = (typeof fileActions)[number];

const planFileSchema = z.object({
  path: repositoryPath(),
  action: z.enum(fileActions),
  description: prose(4000).describe('What changes in it.'),
});

/** L-563: the five sections, and what grounding needs to check them against the repository. */
export const planSchema = z.object({
  title: line(160),
  summary: prose(4000),
  files: z.array(planFileSchema).min(1).max(400),
  approach: prose(40_000).describe('Strategy, key decisions, trade-offs.'),
  edgeCases: list(prose(2000), 100).describe('Input and boundary conditions and how each is handled.'),
  failureModes: list(
    z.object({
      failure: prose(2000),
      warning: prose(2000).describe('The earliest sign of it.'),
      mitigation: prose(2000).describe('The simplest remedy.'),
    }),
    20,
  ).describe('The three likeliest systemic failures; empty for cosmetic or documentation-only changes.'),
  testing: prose(20_000).describe('Testing strategy.'),
  tests: list(z.object({ path: repositoryPath(), description: prose(2000) }), 200).describe(
    'Test files to add or change.',
  ),
  commands: list(z.object({ command: line(1000), purpose: line(1000) }), 60).describe(
    'Commands that build or verify the change.',
  ),
  symbols: list(
    z.object({
      name: symbolName(),
      file: nullable(repositoryPath()),
      state: z.enum(['existing', 'new']),
    }),
    300,
  ).describe('Functions, classes and constants the plan relies on or adds.'),
  decisions: list(
    z.object({
      id: decisionId().describe('DECISION_N.'),
      honoured: prose(3000).describe('How the plan follows it and answers the losing concern.'),
    }),
    60,
  ).describe('Every decided or standing decision, by id.'),
});

export type PlanFile = z.infer<typeof planFileSchema>;
export type Plan = z.infer<typeof planSchema>;
