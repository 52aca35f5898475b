import { z } from 'zod';
import { line } from '../primitives.ts';
import { sides } from './defence.ts';

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
