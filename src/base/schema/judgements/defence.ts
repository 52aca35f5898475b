import { z } from 'zod';
import { prose } from '../primitives.ts';

export const sides = ['THESIS', 'ANTI_THESIS'] as const;
export type Side = (typeof sides)[number];

/** C-25: the six tags of a defence, in the order they appear in text. */
export const defenceSchema = z.object({
  steelman: prose(4000).describe('The best case for the other side, in one or two sentences.'),
  claim: prose(4000),
  evidence: prose(8000).describe('With at least one file:line found in the repository.'),
  strongestConcession: prose(4000).describe('The strongest point against your own side.'),
  counterToOpposition: prose(4000),
  riskIfWrong: prose(4000),
  recommend: z.enum(sides).describe('The side you defend.'),
});

export type Defence = z.infer<typeof defenceSchema>;
