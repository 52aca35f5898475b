import { z } from 'zod';
import { line, list, nullable, prose, repositoryPath, seats } from '../primitives.ts';

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

/** L-171: clarifying questions, asked in one batch. */
export const questionsSchema = z.object({
  questions: list(
    z.object({
      title: line(80).describe('A few words.'),
      question: line(1000),
      options: list(line(300), 6),
      recommended: line(1000).describe('The answer you would take.'),
    }),
    4,
  ).describe('Only real ambiguity; empty if nothing needs asking.'),
});

/** L-175, L-723: points of a discussion round; what the code answers comes with its resolution. */
export const discussionSchema = z.object({
  points: list(
    z.object({
      title: line(160),
      question: line(1000),
      recommended: line(1000),
      options: list(line(300), 6),
      answeredByCode: nullable(prose(2000)).describe(
        'The answer found in the code base, with file:line; else null.',
      ),
    }),
    30,
  ),
});

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

export const impacts = ['High', 'Medium', 'Low'] as const;
export type Impact = (typeof impacts)[number];

export const ideaUses = ['adopted', 'preserved', 'declined'] as const;

/** L-453: one decision on which the sketches disagree. */
export const contestedDecisionSchema = z.object({
  title: line(160),
  chosen: line(2000).describe('What the synthesis chooses.'),
  alternative: line(2000).describe('The strongest alternative.'),
  tension: line(3000).describe('Which sketches diverge and why.'),
  impact: z.enum(impacts),
  affectedFiles: list(repositoryPath(), 60),
  chosenSeats: seats().describe('Seats whose sketch is on the side of the choice.'),
  alternativeSeats: seats().describe('Seats on any other side.'),
});

/** L-450, L-451: what the sketches agree on, where they part, and what is taken from whom. */
export const synthesisSchema = z.object({
  summary: prose(4000).describe('The combined approach.'),
  agreements: list(z.object({ point: prose(2000), seats: seats() }), 60),
  divergences: list(
    z.object({
      topic: line(200),
      positions: list(z.object({ position: prose(2000), seats: seats() }), 12),
      call: prose(2000).describe('The call made on this point.'),
      reason: prose(3000).describe('Why.'),
    }),
    60,
  ),
  ideas: list(
    z.object({
      idea: prose(2000),
      seats: seats().describe('Seats the idea came from.'),
      use: z.enum(ideaUses),
      reason: prose(2000),
    }),
    100,
  ).describe('Ideas of each sketch and what becomes of them.'),
  highlights: nullable(
    z.object({
      architecture: list(prose(2000), 30).describe('Architecture and standards concerns for the plan.'),
      pragmatism: list(prose(2000), 30).describe('Warnings about regression risk or needless complexity.'),
      edgeCases: list(prose(2000), 30).describe('Failure risks for the failure-modes section.'),
      innovation: list(prose(2000), 30).describe('Alternatives worth keeping though not chosen.'),
    }),
  ).describe('Only when the sketches had stances; null for generic sketches.'),
  contested: list(contestedDecisionSchema, 60).describe(
    'Decisions on which sketches disagree; empty if none.',
  ),
});

export type ContestedDecision = z.infer<typeof contestedDecisionSchema>;
export type Synthesis = z.infer<typeof synthesisSchema>;

/** L-741: one mermaid diagram of modules, boundaries and relations, without fence; null when there is nothing to draw. */
export const diagramSchema = z.object({
  mermaid: nullable(prose(40_000)).describe('Mermaid source without a code fence.'),
  reason: nullable(line(1000)).describe('Why there is no diagram, when mermaid is null.'),
});

export type Diagram = z.infer<typeof diagramSchema>;
