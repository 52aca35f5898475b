import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../files/bounded.ts';
import type { LitePlanFiles } from '../lite/plan-files.ts';
import type { Quality } from '../lite/quality.ts';
import { readPlanFiles } from '../lite/read-plan.ts';

/** A lite plan: plan.json with its `.task` folder beside it. */
export async function readLiteFolder(
  folder: string,
  planText: string,
): Promise<{ files: LitePlanFiles; quality: Quality }> {
  const tasks = path.join(folder, '.task');
  const names = (await readdir(tasks).catch(() => []))
    .filter((name) => /^(?:TASK|FIX)-\d{3}\.json$/.test(name))
    .sort();
  const texts = await Promise.all(
    names.map(async (name) => ({
      file: name,
      text: (await readTextFile(path.join(tasks, name), 1_000_000)) ?? '',
    })),
  );
  return readPlanFiles(planText, texts);
}
