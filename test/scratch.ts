// All temporary files of a test run lie in one folder, which goes with the run: nothing is left on the machine.
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
  // Whatever is just ending gets about twenty seconds, longer after each try; what then still writes there was left behind.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20 });
}
