import { z } from 'zod';
import { line, list, prose, repositoryPath } from '../primitives.ts';

/** P-124: what an executor says about its batch. Whether it is so, git and the tests tell. */
export const executionSchema = z.object({
  status: z.enum(['completed', 'partial', 'failed']),
  summary: prose(4000).describe('What was done.'),
  outputs: list(repositoryPath(), 200).describe('Files written or changed.'),
  notes: list(prose(2000), 20).describe('What the next executor should know.'),
  unfinished: list(line(400), 40).describe('Ids of tasks that are not done, each with the reason.'),
});
