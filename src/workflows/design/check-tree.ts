import { runGit } from '../../evidence/git-process.ts';
import type { Desk } from './desk.ts';

export type Boundary =
  | 'sketch-collection'
  | 'dialectic-debate-collection'
  | 'dialectic-judge-collection'
  | 'plan-review-collection';

/** L-420: after agents were at work nobody may have touched the tree. */
export async function checkTree(desk: Desk, boundary: Boundary): Promise<void> {
  if (desk.inputs.baseCommit === undefined) return;
  await desk.context.step(`tree after ${boundary}`, async () =>
    (await runGit(desk.inputs.project, ['status', '--porcelain'])).toString('utf8'),
  );
}
