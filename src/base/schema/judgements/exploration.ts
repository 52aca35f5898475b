import { z } from 'zod';
import { fileRoles } from '../lite/exploration.ts';
import { line, list, nullable, prose, repositoryPath } from '../primitives.ts';

/** P-046: one look at the repository from one angle. */
export const explorationSchema = z.object({
  project_structure: prose(8000),
  relevant_files: z
    .array(
      z.object({
        path: repositoryPath(),
        relevance: z.int().min(0).max(100).describe('Percent.'),
        rationale: prose(1000).describe('Why this file, in this task; at least ten characters.'),
        role: z.enum(fileRoles),
        key_symbols: list(line(200), 20),
      }),
    )
    .min(1)
    .max(60),
  patterns: prose(8000).describe('Patterns to follow, so that somebody can act on them.'),
  dependencies: prose(8000),
  integration_points: prose(8000).describe('Places as path:line.'),
  constraints: prose(8000).describe('What this project forbids or demands.'),
  clarification_needs: list(
    z.object({
      question: line(1000),
      context: prose(2000),
      options: list(line(300), 8),
      recommended: nullable(z.int().min(0).max(7)).describe('Zero-based place in options.'),
    }),
    8,
  ),
});

export type Exploration = z.infer<typeof explorationSchema>;
