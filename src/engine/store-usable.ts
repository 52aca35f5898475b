import { access, constants, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Home } from './run-directory.ts';

/** What the embedded database may write when it opens: a segment of its log and some more. */
const openingBytes = 20 * 1024 * 1024;

/**
 * Throws what keeps any program from using the store: no room, no permission, no memory, no more open files. The embedded database
 * itself says of none of them why it did not open.
 */
export async function requireUsable(home: Home, failure: unknown): Promise<void> {
  // What the runtime has too little memory for is refused with this.
  if (failure instanceof RangeError) throw failure;
  const probe = `${home.store}.room`;
  try {
    await writeFile(probe, Buffer.alloc(openingBytes), { mode: 0o600 });
  } finally {
    await rm(probe, { force: true });
  }
  const { R_OK, W_OK } = constants;
  await access(home.store, R_OK | W_OK);
  for (const name of await readdir(home.store, { recursive: true }))
    await access(path.join(home.store, name), R_OK | W_OK);
}
