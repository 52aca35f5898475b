import { CharretteError } from '../../base/errors.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { appendIssue } from '../../plan/execution-issues.ts';
import { type Boundary, probeTree, type TreeProbe } from '../../repo/git/tree-probe.ts';
import { renderDirtyTree, renderPathList, renderProbe } from '../../repo/git/tree-record.ts';
import { recoveryOptions, restoreTree } from '../../repo/git/tree-recovery.ts';
import type { Desk } from './desk.ts';
import { type FoundTree, foundTree } from './found-tree.ts';
import { projectRun } from './heavy-place.ts';
import { noteSeen } from './settle-tree.ts';

const labels = {
  restore: 'Undo what was changed and go on',
  continue: 'Go on although nobody can say whether the tree is clean',
  cancel: 'Cancel this run',
} as const;

/** L-421: all paths that were touched, however many; each list is empty when it has none. */
const pathLists = {
  tracked: 'dirty-tree-tracked-paths.nul',
  newUntracked: 'dirty-tree-new-untracked-paths.nul',
} as const;

/** What a question shows by itself. */
const shownPaths = 20;

/**
 * L-420…L-428, C-11: after agents were at work the tree must be as it was; if not, a person decides, whatever --auto says.
 * L-425: every collection asks once; a second round is a collection of its own, which no earlier answer is about.
 */
export async function checkTree(desk: Desk, boundary: Boundary, round = 1): Promise<void> {
  const { entry, project } = desk.inputs;
  const lanes = desk.atWork;
  desk.atWork = [];
  if (entry === undefined) return;
  await guardTree(desk, project, entry, boundary, lanes, round);
  await desk.context.step(`tree seen after ${boundary}`, () => noteSeen(desk.context.live.directory));
}

/** The same for any workflow: `entry` is the tree as the run found it at first. */
export async function guardTree(
  desk: { context: WorkflowContext; warn(text: string): void },
  project: string,
  entry: FoundTree,
  boundary: string,
  lanes: readonly string[],
  round = 1,
): Promise<void> {
  const run = projectRun(desk.context.live.directory);
  const look = async (): Promise<TreeProbe & { changed?: string[] }> => {
    const { untracked, changed } = await foundTree(run, entry);
    return { ...(await probeTree(project, { mode: 'baseline', untracked })), changed };
  };
  const { changed = entry.changed, ...seen } = await desk.context.step(`tree after ${boundary}`, look);
  // Changes that were there before the run are the user's own.
  const probe = { ...seen, tracked: seen.tracked.filter((file) => !changed.includes(file)) };
  const untouched = seen.status === 'dirty' && probe.tracked.length + probe.newUntracked.length === 0;
  if (seen.status === 'clean' || untouched) return;
  await desk.context.artifact(
    'dirty-tree-detected.env',
    renderDirtyTree({ status: probe.status, stage: boundary, recoveryRequired: true }),
  );
  await desk.context.artifact('dirty-tree-probe.env', renderProbe(probe, pathLists));
  await desk.context.artifact(pathLists.tracked, renderPathList(probe.tracked));
  await desk.context.artifact(pathLists.newUntracked, renderPathList(probe.newUntracked));
  const paths = [...probe.tracked, ...probe.newUntracked];
  // L-429: who may have done it.
  const said = `The working tree is ${probe.status} after ${boundary}: ${paths.slice(0, 10).join(', ') || probe.reason}. At work until then: ${lanes.join(', ')}.`;
  desk.warn(said);
  await desk.context.step(`log the tree after ${boundary}`, () =>
    appendIssue(run.executionIssues, 'External Reviewer Issues', said),
  );
  const id = `dirty-tree-${boundary}${round === 1 ? '' : `-${round}`}`;
  const answers = await desk.context.ask([
    {
      id,
      text: `${whatHappened(probe)}. What now?`,
      detail: shown(paths),
      options: recoveryOptions(probe.status, true).map((value) => ({ value, label: labels[value] })),
    },
  ]);
  const choice = answers.get(id)?.value;
  const restored =
    choice === 'restore'
      ? await desk.context.step(`restore after ${boundary}`, async () =>
          restore(project, stillOfAgents(probe, await foundTree(run, entry))),
        )
      : undefined;
  if (choice === 'continue' || restored === true) {
    await desk.context.artifact(
      'dirty-tree-detected.env',
      renderDirtyTree({ status: 'clean', stage: boundary, recoveryRequired: false }),
    );
    return;
  }
  throw new CharretteError({
    code: 'dirty-tree',
    message: `Cancelled at ${boundary}. ${whatHappened(probe)}${paths.length === 0 ? '' : `: ${paths.slice(0, 5).join(', ')}`}.`,
    fix: 'Clean the working tree by hand, then resume the run.',
  });
}

function shown(paths: readonly string[]): string {
  const some = paths.slice(0, shownPaths).join('\n');
  const more = paths.length - shownPaths;
  return more <= 0
    ? some
    : `${some}\n… and ${more} more; all of them are in the artifacts ${pathLists.tracked} and ${pathLists.newUntracked}.`;
}

function whatHappened({ status, tracked, newUntracked, reason }: TreeProbe): string {
  if (status === 'unknown') return `Nobody can say whether the working tree is as it was (${reason})`;
  const count = tracked.length + newUntracked.length;
  return `An agent changed the working tree (${count} ${count === 1 ? 'path' : 'paths'})`;
}

/** A run may have moved since it asked: what is uncommitted in this clone is not what was seen in the other. */
function stillOfAgents({ tracked, newUntracked }: TreeProbe, { untracked, changed }: FoundTree) {
  return {
    tracked: tracked.filter((file) => !changed.includes(file)),
    newUntracked: newUntracked.filter((file) => untracked?.includes(file) === false),
  };
}

async function restore(
  project: string,
  probe: { tracked: string[]; newUntracked: string[] },
): Promise<boolean> {
  const after = await restoreTree(project, probe);
  return (
    after.tracked.every((file) => !probe.tracked.includes(file)) &&
    after.newUntracked.every((file) => !probe.newUntracked.includes(file))
  );
}
