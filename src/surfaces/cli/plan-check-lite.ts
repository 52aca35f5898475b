import { existsSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import type { LiteTask } from '../../base/schema/lite/plan.ts';
import { leadsOut } from '../../base/text/strings.ts';
import { groundFiles } from '../../plan/grounding/files.ts';
import { readLiteFolder } from '../../plan/tasks/plan-files.ts';
import { notAPlan, recognisePlan } from '../../plan/tasks/read-plan.ts';
import { wavesOf } from '../../plan/tasks/schedule.ts';
import { openIndex } from '../../repo/index/open-index.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';

export type FoundLitePlan = { file: string; folder: string; text: string };

/** The file that the name of a plan means: in a folder its plan.json, whether it is there or not. */
export function planFileAt(place: string): string {
  return factsAt(place)?.isDirectory() === true ? path.join(place, 'plan.json') : place;
}

/** What cannot be looked at, such as a link that leads to itself, is left to the reader, which says why. */
function factsAt(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The lite plan behind the name of a file, or of a folder with a plan.json; `undefined` when there is none. A broken one is an error. */
export async function findLitePlan(place: string): Promise<FoundLitePlan | undefined> {
  const file = planFileAt(place);
  if (factsAt(file)?.isFile() !== true) return undefined;
  const text = await readTextFile(file);
  if (text === undefined) return undefined;
  const folder = path.dirname(file);
  const input = recognisePlan(text);
  if (input.kind === 'plan') return { file, folder, text };
  // A plan of a design has no tasks beside it.
  if (/\.json$/i.test(file) && existsSync(path.join(folder, '.task'))) throw notAPlan(file, input);
  return undefined;
}

export type LiteCheck = {
  commit: string;
  tasks: string[];
  waves: string[][];
  errors: string[];
  warnings: string[];
};

/** P-062, P-068: shape, ids, dependencies and criteria of a lite plan, and its files against the repository. */
export async function checkLitePlan(
  { folder, text }: FoundLitePlan,
  project: string,
  commit: string | undefined,
): Promise<{ text: string; json: LiteCheck }> {
  const { files, quality } = await readLiteFolder(folder, text);
  const index = await openIndex(project, commit ?? files.plan._metadata.base_commit);
  const grounded = groundTasks(index, files.tasks);
  const errors = [...quality.critical, ...grounded.error];
  const warnings = [...quality.minor, ...grounded.warning];
  const waves =
    quality.critical.length > 0 ? [] : wavesOf(files.tasks).map((wave) => wave.map(({ id }) => id));
  const lines = [
    ...errors.map((error) => `error ${error}`),
    ...warnings.map((warning) => `warning ${warning}`),
    ...waves.map((wave, number) => `wave ${number + 1}: ${wave.join(', ')}`),
    `${files.tasks.length} tasks, ${errors.length} errors, ${warnings.length} warnings`,
  ];
  return {
    text: `${lines.join('\n')}\n`,
    json: { commit: index.snapshot.commit, tasks: files.plan.task_ids, waves, errors, warnings },
  };
}

/** What the base commit says of the files of tasks; paths that lead out are among the critical problems already. */
function groundTasks(
  index: RepositoryIndex,
  tasks: readonly LiteTask[],
): Record<'error' | 'warning', string[]> {
  const all = tasks.flatMap(({ id, files = [] }) =>
    files.map(({ path: name, action }) => ({ id, name, action })),
  );
  const namesOf = (wanted: string) =>
    new Set(all.flatMap(({ name, action }) => (action === wanted ? [name] : [])));
  const [made, removed] = [namesOf('create'), namesOf('delete')];
  // What another task makes or removes is not as it was.
  const asked = all.filter(
    ({ name, action }) => !leadsOut(name) && !(action === 'create' ? removed : made).has(name),
  );
  const facts = groundFiles(index, {
    files: asked.map(({ name, action }) => ({
      path: name,
      action: action === 'create' ? 'new' : (action ?? 'unknown'),
    })),
  });
  const said = (wanted: string) =>
    facts.flatMap(({ severity, subject, reason }, at) =>
      severity === wanted ? [`${asked[at]?.id}: ${subject}: ${reason}`] : [],
    );
  return { error: said('error'), warning: said('warning') };
}
