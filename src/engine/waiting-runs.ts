import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Home, homeAround, isRunId, type RunDirectory } from './run-directory.ts';

/**
 * An empty file for every run that waits for a person, so that old ones are found among very many without reading all records. A mark
 * may be stale or lost at any time; the record is what counts.
 */
function marksOf(home: Home): string {
  return path.join(home.root, 'waiting');
}

export function markWaiting(directory: RunDirectory, waits: boolean): void {
  const folder = marksOf(homeAround(directory));
  const mark = path.join(folder, directory.id);
  try {
    if (!waits) {
      rmSync(mark, { force: true });
      return;
    }
    mkdirSync(folder, { recursive: true });
    writeFileSync(mark, '');
  } catch {
    // A full disk has no room for a mark; the run waits all the same.
  }
}

/** Runs that are marked, newest first. */
export function markedWaiting(home: Home): string[] {
  const folder = marksOf(home);
  return existsSync(folder) ? readdirSync(folder).filter(isRunId).sort().reverse() : [];
}
