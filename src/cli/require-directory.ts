import { stat } from 'node:fs/promises';
import { CharretteError } from '../errors.ts';

/** Stops a command whose project folder (`--cwd`) is not there. */
export async function requireDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new CharretteError({ code: 'not-found', message: `There is no folder ${directory}.` });
}
