import { z } from 'zod';
import { line, list, nullable, prose, repositoryPath } from '../primitives.ts';
import { focusAreas } from './review.ts';

/** R-004, the worst first. */
export const changeSeverities = ['blocking', 'major', 'minor', 'nit'] as const;
export type ChangeSeverity = (typeof changeSeverities)[number];

const lineNumber = () => z.int().min(1).max(10_000_000);

/** A defect that one reviewer reports in a change or a document. */
export const changeFindingSchema = z.object({
  title: line(200),
  category: z.enum(focusAreas),
  severity: z.enum(changeSeverities),
  claim: prose(4000).describe('What is wrong.'),
  consequence: prose(4000).describe('What happens because of it: when, and to whom.'),
  path: repositoryPath(),
  startLine: lineNumber(),
  endLine: lineNumber(),
  side: z.enum(['new', 'old']).describe('old: the quoted lines were deleted.'),
  quote: prose(2000).describe('The lines in question, copied exactly, without the marks of the diff.'),
  suggestion: nullable(prose(4000)).describe('The lines that should replace the quoted ones, or null.'),
  confidence: z.int().min(0).max(100).describe('How sure you are, in percent.'),
});

/** What one reviewer returns; no findings is a good answer. */
export const changeReviewSchema = z.object({ findings: list(changeFindingSchema, 100) });

export type ChangeFinding = z.infer<typeof changeFindingSchema>;
