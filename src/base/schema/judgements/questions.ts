import { z } from 'zod';
import { line, list, nullable, prose } from '../primitives.ts';

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
