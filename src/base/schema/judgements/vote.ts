import { z } from 'zod';
import { itemId, line } from '../primitives.ts';

export const voteTokens = ['YES', 'NO', 'EXONERATE'] as const;
export type VoteToken = (typeof voteTokens)[number];

/** L-637: one vote per item on the ballot. */
export const voteSchema = z.object({
  votes: z
    .array(
      z.object({
        id: itemId().describe('FINDING_N or OOS_N, as on the ballot.'),
        vote: z.enum(voteTokens),
        reason: line(4000),
      }),
    )
    .max(1000),
});

export type Vote = z.infer<typeof voteSchema>;
