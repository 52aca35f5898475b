import { z } from 'zod';
import { line, list, nullable, prose, repositoryPath } from '../primitives.ts';

/** What a look around the repository brought. */
export const exploreSchema = z.object({
  summary: prose(8000),
  files: list(
    z.object({
      path: repositoryPath(),
      role: prose(1000).describe('What it does and why it matters here.'),
      line: nullable(z.int().min(1).max(10_000_000)),
    }),
    200,
  ),
  conventions: list(prose(1000), 40).describe('Rules of this code base that the change must follow.'),
  constraints: list(prose(1000), 40).describe('What must not break, and who depends on it.'),
  tests: list(z.object({ path: repositoryPath(), covers: prose(1000) }), 100),
  unknowns: list(line(1000), 40).describe('What could not be found out.'),
});

/** L-152, L-156: whether the current branch fits the feature. */
export const branchFitSchema = z.object({ fits: z.boolean(), reason: line(1000) });

export type Explore = z.infer<typeof exploreSchema>;
