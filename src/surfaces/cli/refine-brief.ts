import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { containedPath } from '../../base/files/contained.ts';
import { slugify } from '../../base/text/strings.ts';
import type { BrandFile } from '../../workflows/refine/brand/identity.ts';
import { briefFromGoal, completeBrief } from '../../workflows/refine/rules/brief.ts';

export type FoundBrief = { id: string; title: string; text: string };

/** The brief: a named file, the words of the command line, or the last `brief/BRIEF-*.md` of the design folder. */
export async function findBrief(
  {
    cwd,
    project,
    design,
    goal,
    file,
  }: { cwd: string; project: string; design: string | undefined; goal: string; file: string | undefined },
  brand: readonly BrandFile[],
): Promise<FoundBrief> {
  if (file === undefined && goal !== '')
    return { id: slugify(goal, 40), title: goal.split('\n')[0] ?? goal, text: briefFromGoal(goal, brand) };
  const place = file === undefined ? await lastBrief(project, design) : path.resolve(cwd, file);
  const text = place === undefined ? undefined : await readTextFile(place, 1_000_000);
  if (place === undefined || text === undefined) {
    throw new CharretteError({
      code: file === undefined ? 'usage' : 'not-found',
      message: file === undefined ? 'There is no goal and no brief.' : `There is no brief at ${file}.`,
      fix: 'Say what to build (`charrette refine "a page that …"`), or name a brief with --brief.',
    });
  }
  const id = path.basename(place).replace(/\.md$/i, '');
  const heading = /^# +(.+)$/m.exec(text)?.[1]?.trim();
  return { id: slugify(id, 60), title: heading ?? id, text: completeBrief(text, brand) };
}

async function lastBrief(project: string, design: string | undefined): Promise<string | undefined> {
  if (design === undefined) return undefined;
  const folder = await containedPath(project, path.join(design, 'brief'));
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^BRIEF-.*\.md$/.test(name)).sort();
  const last = names.at(-1);
  return last === undefined ? undefined : containedPath(project, path.join(design, 'brief', last));
}
