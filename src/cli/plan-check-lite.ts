import { existsSync } from 'node:fs';
import path from 'node:path';
import { exitCodes } from '../error-table.ts';
import { openIndex } from '../evidence/open-index.ts';
import { readTextFile } from '../files/bounded.ts';
import { levelsOf } from '../lite/dependencies.ts';
import { readLiteFolder } from '../lite/plan-folder.ts';
import { recognisePlan } from '../lite/read-plan.ts';
import type { CommandResult } from './command.ts';

/** The plan.json of a lite plan behind a folder or file name; `undefined` when there is none. */
export async function findLitePlan(place: string): Promise<{ folder: string; text: string } | undefined> {
  const inside = path.join(place, 'plan.json');
  const file = existsSync(inside) ? inside : place;
  if (path.basename(file) !== 'plan.json' || !existsSync(file)) return undefined;
  const text = await readTextFile(file);
  if (text === undefined || recognisePlan(text).kind !== 'plan') return undefined;
  return { folder: path.dirname(file), text };
}

/** P-062, P-068: shape, ids, dependencies and criteria of a lite plan, and its files against the repository. */
export async function checkLitePlan(
  { folder, text }: { folder: string; text: string },
  project: string,
  commit: string | undefined,
): Promise<CommandResult> {
  const { files, quality } = await readLiteFolder(folder, text);
  const index = await openIndex(project, commit ?? files.plan._metadata.base_commit);
  const created = new Set(
    files.tasks.flatMap((task) =>
      (task.files ?? []).flatMap((file) => (file.action === 'create' ? [file.path] : [])),
    ),
  );
  const missing = files.tasks.flatMap(({ id, files: touched = [] }) =>
    touched
      .filter(
        ({ path: name, action }) => action !== 'create' && !index.byPath.has(name) && !created.has(name),
      )
      .map(({ path: name, action }) => ({ id, name, certain: action !== undefined })),
  );
  const errors = [
    ...quality.critical,
    ...missing.filter(({ certain }) => certain).map(({ id, name }) => `${id}: ${name} does not exist`),
  ];
  const warnings = [
    ...quality.minor,
    ...missing.filter(({ certain }) => !certain).map(({ id, name }) => `${id}: ${name} would be new`),
  ];
  const waves =
    quality.critical.length > 0 ? [] : levelsOf(files.tasks).map((wave) => wave.map(({ id }) => id));
  const lines = [
    ...errors.map((error) => `error ${error}`),
    ...warnings.map((warning) => `warning ${warning}`),
    ...waves.map((wave, number) => `wave ${number + 1}: ${wave.join(', ')}`),
    `${files.tasks.length} tasks, ${errors.length} errors, ${warnings.length} warnings`,
  ];
  return {
    exit: errors.length > 0 ? exitCodes.notAccepted : exitCodes.done,
    text: `${lines.join('\n')}\n`,
    json: { commit: index.snapshot.commit, tasks: files.plan.task_ids, waves, errors, warnings },
  };
}
