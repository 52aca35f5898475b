import { z } from 'zod';
import { itemId, list, prose } from '../primitives.ts';
import { planSchema } from './plan.ts';

/** L-690: the revised plan and, per accepted finding, how the plan changed. */
export const revisionSchema = z.object({
  plan: planSchema,
  resolutions: list(
    z.object({
      id: itemId().describe('FINDING_N.'),
      resolution: prose(4000).describe('How the plan changed.'),
    }),
    400,
  ),
});

export type Revision = z.infer<typeof revisionSchema>;
