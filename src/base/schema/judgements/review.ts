import { z } from 'zod';
import { itemId, line, list, nullable, prose, repositoryPath } from '../primitives.ts';
import { planSchema } from './plan.ts';

/** L-585 */
export const focusAreas = [
  'code-quality',
  'risk-integration',
  'correctness',
  'architecture',
  'security',
] as const;
export type FocusArea = (typeof focusAreas)[number];

export const severities = ['Important', 'Nit', 'Latent'] as const;
export type Severity = (typeof severities)[number];

/** Where a finding can be seen: opened and checked at the base commit. */
const citationSchema = z.object({
  file: repositoryPath(),
  line: z.int().min(1).max(10_000_000),
  endLine: nullable(z.int().min(1).max(10_000_000)),
  quote: nullable(line(400)).describe('The text at that line, to find it again if it moved.'),
});

export const findingSchema = z.object({
  title: line(200),
  focusArea: z.enum(focusAreas),
  severity: z.enum(severities),
  concern: prose(8000).describe('What goes wrong, in which scenario.'),
  suggestedRevision: prose(8000).describe('How the plan should change.'),
  citations: list(citationSchema, 40),
  outOfScope: z.boolean().default(false).describe('Worth tracking, but not for this change.'),
});

/** What one reviewer returns; no findings means no issues found. */
export const reviewSchema = z.object({ findings: list(findingSchema, 100) });

export type Citation = z.infer<typeof citationSchema>;
export type Finding = z.infer<typeof findingSchema>;
export type Review = z.infer<typeof reviewSchema>;

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
