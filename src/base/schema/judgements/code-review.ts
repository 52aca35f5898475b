import { z } from 'zod';
import { list, nullable, prose, repositoryPath } from '../primitives.ts';

export const codeSeverities = ['Critical', 'High', 'Medium', 'Low'] as const;

/** P-150, P-152: findings about the code, and every criterion with the evidence for it. */
export const codeReviewSchema = z.object({
  summary: prose(4000),
  findings: list(
    z.object({
      severity: z.enum(codeSeverities),
      file: repositoryPath(),
      line: z.int().min(1).max(10_000_000),
      description: prose(4000),
      fix: prose(4000),
    }),
    100,
  ),
  criteria: list(
    z.object({
      task_id: z.string().regex(/^(TASK|FIX)-[0-9]{3}$/),
      number: z.int().min(1).max(30).describe('Place of the criterion in its task, from 1.'),
      met: z.boolean(),
      evidence: nullable(prose(2000)).describe(
        'Where it can be seen: path:line, or a command and its result.',
      ),
    }),
    400,
  ).describe('Every criterion of every task, once.'),
});

export type CodeReview = z.infer<typeof codeReviewSchema>;
