// All temporary files of a test run lie in one folder, which goes with the run: nothing is left on the machine.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const prefix = 'charrette-test-';

/** Makes such a folder; a suite that finds one in $TMPDIR uses it and leaves its removal to whoever made it. */
export function makeScratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  // A database server runs as another user and has to come through.
  chmodSync(folder, 0o711);
  return folder;
}

export default function scratch(): (() => Promise<void>) | undefined {
  // Every project of the suite asks; the first one's folder serves all.
  if (path.basename(tmpdir()).startsWith(prefix)) return undefined;
  const folder = makeScratch();
  process.env['TMPDIR'] = folder;
  return () => remove(folder);
}

/** Whatever is just ending gets time for it; what writes there after half a minute was left behind, and that is a fault. */
async function remove(folder: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 30) throw error;
      await sleep(1000);
    }
  }
}
