import { z } from 'zod';
import { line, prose } from '../primitives.ts';

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

/** L-517: one vote per decision on the ballot; THESIS always means the side of the choice. */
export const verdictSchema = z.object({
  verdicts: z
    .array(
      z.object({
        decision: z.int().min(1).max(999).describe('N of DECISION_N.'),
        vote: z.enum(sides),
        rationale: line(4000),
      }),
    )
    .max(60),
});

export type Verdict = z.infer<typeof verdictSchema>;
