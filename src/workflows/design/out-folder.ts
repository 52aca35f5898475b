import { constants, existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { localOnly } from '../../council/outcome-files.ts';

/** Every design writes it: a folder that has it holds the copies of an earlier one. */
const markOfDesign = 'design-summary.json';

/** What a design writes under names that somebody else may use as well. */
const commonNames = [
  'plan.txt',
  'plan.json',
  'plan-check.json',
  'ballot.txt',
  'oos.md',
  'clarifications.md',
  'contested-decisions.md',
  'architecture-diagram.md',
  'rejected-findings.md',
  'voting-tally.md',
];

/** C-39: where `--out` leads, if copies can be made there and replace nobody's own files; at the end of a run it is too late to find out. */
export function outFolder(cwd: string, given: string): string {
  const fix = 'Name a folder; it is made when it is not there.';
  if (given.trim() === '')
    throw new CharretteError({ code: 'usage', message: '--out names no folder.', fix });
  const folder = path.resolve(cwd, given);
  let place = folder;
  while (!existsSync(place) && place !== path.dirname(place)) place = path.dirname(place);
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new CharretteError({
      code: 'usage',
      message: `The artifacts cannot be copied to ${folder}: ${place} is no folder.`,
      fix,
    });
  const inTheWay = commonNames.filter((name) => existsSync(path.join(folder, name)));
  if (inTheWay.length === 0 || existsSync(path.join(folder, markOfDesign))) return folder;
  throw new CharretteError({
    code: 'would-overwrite',
    message: `The artifacts cannot be copied to ${folder}: it has files that no design made, ${inTheWay.join(', ')}.`,
    fix: 'Name another folder, or move what is there.',
  });
}

const rankOf = (name: string) => (name === markOfDesign ? 0 : 1);

/** L-694: a folder of the project is soon committed, so what is local only stays behind; its names are given back. */
export async function copyArtifacts(from: string, to: string): Promise<string[]> {
  await mkdir(to, { recursive: true });
  const names = (await readdir(from)).filter((name) => !name.startsWith('.'));
  // The mark first: what a killed run leaves is the copies of a design all the same.
  names.sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
  const kept = localOnly(names);
  for (const name of names) {
    if (kept.includes(name)) continue;
    const place = path.join(to, name);
    // A link that a repository brought along would lead the copy to a file elsewhere.
    await rm(place, { force: true });
    await copyFile(path.join(from, name), place, constants.COPYFILE_EXCL);
  }
  return kept;
}
