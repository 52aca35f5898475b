import fs from 'node:fs';
import { CharretteError } from '../../base/errors.ts';

/** Stops a command whose project folder (`--cwd`) is not there. */
export function requireDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  throw new CharretteError({ code: 'not-found', message: `There is no folder ${directory}.` });
}

function isDirectory(directory: string): boolean {
  try {
    return fs.statSync(directory).isDirectory();
  } catch {
    return false;
  }
}
