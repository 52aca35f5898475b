import { existsSync } from 'node:fs';
import path from 'node:path';
import { type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { CharretteError } from '../errors.ts';
import { readTextFile } from '../files/bounded.ts';
import { findHome, findRun } from './project.ts';

/** A plan, wherever it came from. */
export type PlanSource = { text: string; file: string; record?: RunRecord };

/** A plan by file name, or by the run that made it; without a name the latest run's. */
export async function findPlan(cwd: string, name: string | undefined): Promise<PlanSource> {
  const file = name === undefined ? undefined : path.resolve(cwd, name);
  if (file !== undefined && existsSync(file)) {
    const text = await readTextFile(file);
    if (text !== undefined) return { text, file };
  }
  const directory = await findRun(findHome(cwd), name);
  const planFile = path.join(directory.artifacts, 'plan.txt');
  const text = await readTextFile(planFile);
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The run ${directory.id} has no plan yet.`,
      fix: `Look at it with \`charrette show ${directory.id}\`.`,
    });
  }
  return { text, file: planFile, record: await readRunRecord(directory) };
}
