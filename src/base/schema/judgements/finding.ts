import { z } from 'zod';
import { line, list, nullable, prose, repositoryPath } from '../primitives.ts';

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
export const citationSchema = z.object({
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
