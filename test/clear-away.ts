import { rmSync } from 'node:fs';

/**
 * Removes what a suite has written. A program that is just ending may still write there: what then stays goes with the folder of
 * the whole run (`scratch.ts`), and no test fails for it.
 */
export function clearAway(...folders: readonly (string | undefined)[]): void {
  for (const folder of folders) {
    try {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    } catch {}
  }
}
