import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import { containedPath } from '../../base/files/contained.ts';
import type { LitePlanFiles } from './plan-files.ts';
import type { Quality } from './quality.ts';
import { readPlanFiles } from './read-plan.ts';

/** A lite plan: plan.json with its `.task` folder beside it. */
export async function readLiteFolder(
  folder: string,
  planText: string,
): Promise<{ files: LitePlanFiles; quality: Quality }> {
  return readPlanFiles(planText, await readTaskTexts(folder));
}

/** The task files beside a plan.json as they stand, by name. */
export async function readTaskTexts(folder: string): Promise<{ file: string; text: string }[]> {
  const tasks = path.join(folder, '.task');
  const names = (await readdir(tasks).catch(() => []))
    .filter((name) => /^(?:TASK|FIX)-\d{3}\.json$/.test(name))
    .sort();
  return Promise.all(
    names.map(async (name) => ({
      file: name,
      text: (await readTextFile(await containedPath(folder, path.join('.task', name)), 1_000_000)) ?? '',
    })),
  );
}
