import { z } from 'zod';
import { line, list, prose, repositoryPath } from '../primitives.ts';

/** L-207: an approach in outline: decisions, files with the reason each is touched, trade-offs and risks. */
export const sketchSchema = z.object({
  summary: line(400).describe('The approach in one sentence.'),
  approach: prose(20_000).describe('The approach in two or three paragraphs.'),
  decisions: list(
    z.object({
      title: line(160),
      choice: prose(2000).describe('What is chosen.'),
      reason: prose(2000).describe('Why, and what it costs.'),
    }),
    20,
  ).describe('Key architectural decisions.'),
  files: list(
    z.object({ path: repositoryPath(), reason: prose(1000).describe('Why it changes.') }),
    100,
  ).describe('Files or modules to change or create, as repository paths.'),
  risks: list(z.object({ risk: prose(1000), mitigation: prose(1000) }), 20).describe(
    'Trade-offs and risks, each with what limits it.',
  ),
});

export type Sketch = z.infer<typeof sketchSchema>;
