import { z } from 'zod';
import { list, prose } from '../primitives.ts';

export const comparisonChoices = ['A', 'B', 'TIE'] as const;
export type ComparisonChoice = (typeof comparisonChoices)[number];

/** A blind verdict on two plans for the same feature. */
export const comparisonSchema = z.object({
  better: z.enum(comparisonChoices).describe('The plan you would hand to the builders; TIE when neither.'),
  reason: prose(4000),
  coveredByA: list(z.int().min(1).max(99), 99).describe('Numbers of the criteria that plan A would meet.'),
  coveredByB: list(z.int().min(1).max(99), 99).describe('Numbers of the criteria that plan B would meet.'),
});

export type Comparison = z.infer<typeof comparisonSchema>;
