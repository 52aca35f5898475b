import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../files/contained.ts';
import { sideFiles } from '../prompts/artifacts.ts';

/** T-086, lean/C-06: records that leave the feature when it is finished. */
const records = [sideFiles.history, sideFiles.log] as const;

/** Where the records of features are kept. */
export function archiveDirectory(root: string, feature: string): string {
  return path.join(root, '.charrette', 'features', path.basename(feature));
}

/** Moves history and log out of a finished feature. Nothing is deleted before its copy is complete, and no earlier copy is replaced. */
export async function archiveRecords(root: string, featureDirectory: string): Promise<string[]> {
  const target = archiveDirectory(root, featureDirectory);
  const moved: string[] = [];
  for (const name of records) {
    const source = path.join(featureDirectory, name);
    try {
      await mkdir(target, { recursive: true });
      moved.push(await copyBeside(source, path.join(target, name)));
      await rm(source);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return moved;
}

/** The same text under the same name is enough; other text gets a number. */
async function copyBeside(source: string, wanted: string): Promise<string> {
  const { dir, name, ext } = path.parse(wanted);
  const text = await readFile(source);
  for (let number = 1; ; number += 1) {
    const target = number === 1 ? wanted : path.join(dir, `${name}-${number}${ext}`);
    try {
      await copyFile(source, target, constants.COPYFILE_EXCL);
      return target;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      if (text.equals(await readFile(target))) return target;
    }
  }
}
