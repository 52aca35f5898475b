import { z } from 'zod';
import { line, nullable } from '../primitives.ts';

/** C-32: groups of findings that mean the same; every id must be in exactly one group. */
export const mergeSchema = z.object({
  clusters: z
    .array(
      z.object({
        ids: z.array(line(40)).min(1).max(400),
        title: nullable(line(200)).describe('A title for the group; null keeps the first finding’s.'),
      }),
    )
    .max(1000),
});

export type Merge = z.infer<typeof mergeSchema>;
