import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../files/contained.ts';
import { sideFiles } from '../prompts/artifacts.ts';

/** T-086, lean/C-06: records that leave the feature when it is finished. */
const records = [sideFiles.history, sideFiles.log] as const;

/** Where the records of finished features are kept. */
export function archiveDirectory(root: string, feature: string): string {
  return path.join(root, '.charrette', 'features', path.basename(feature));
}

/** Moves history and log out of a finished feature; nothing is deleted before its copy is complete. */
export async function archiveRecords(root: string, featureDirectory: string): Promise<string[]> {
  const target = archiveDirectory(root, featureDirectory);
  const moved: string[] = [];
  for (const name of records) {
    const source = path.join(featureDirectory, name);
    try {
      await mkdir(target, { recursive: true });
      await copyFile(source, path.join(target, name));
      await rm(source);
      moved.push(path.join(target, name));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return moved;
}
