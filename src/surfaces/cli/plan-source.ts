import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import type { LitePlanFiles } from '../../plan/tasks/plan-files.ts';
import { readLiteFolder } from '../../plan/tasks/plan-files.ts';
import { litePlanMarkdown } from './live/lite-markdown.ts';
import { findLitePlan } from './plan-check-lite.ts';
import { findHome, findRun } from './project.ts';

/** A plan, wherever it came from; a lite plan has its files and is rendered as one text. */
export type PlanSource = { text: string; file: string; record?: RunRecord; lite?: LitePlanFiles };

/** A plan by the name of a file or folder, or by the run that made it; without a name the latest run's. */
export async function findPlan(cwd: string, name: string | undefined): Promise<PlanSource> {
  const place = name === undefined ? undefined : path.resolve(cwd, name);
  const named = place === undefined || !existsSync(place) ? undefined : await planAt(place);
  if (named !== undefined) return named;
  const directory = await findRun(findHome(cwd), name);
  const made = await planAt(directory.artifacts);
  if (made === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The run ${directory.id} has no plan yet.`,
      fix: `Look at it with \`charrette show ${directory.id}\`.`,
    });
  }
  return { ...made, record: await readRunRecord(directory) };
}

/** The plan.txt or the lite plan of a folder, or a plan file. */
async function planAt(place: string): Promise<PlanSource | undefined> {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const design = path.join(place, 'plan.txt');
  const designed = isFolder ? await readTextFile(design) : undefined;
  if (designed !== undefined) return { text: designed, file: design };
  const found = await findLitePlan(place);
  if (found !== undefined) {
    const { files } = await readLiteFolder(found.folder, found.text);
    return { text: litePlanMarkdown(files), file: found.file, lite: files };
  }
  const text = isFolder ? undefined : await readTextFile(place);
  return text === undefined ? undefined : { text, file: place };
}
