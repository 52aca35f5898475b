import { readFile, stat } from 'node:fs/promises';
import { CharretteError } from '../../base/errors.ts';
import { containedPath } from '../../base/files/contained.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';

const pictureName = /^[\w.-]{1,200}\.png$/;
const largest = 8 * 1024 * 1024;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function isPicture(name: string): boolean {
  return pictureName.test(name);
}

/** A PNG among the artifacts as a data address, which a page can show and nothing else can be; the name may come from anybody. */
export async function readPicture(directory: RunDirectory, name: string): Promise<string> {
  const missing = new CharretteError({ code: 'not-found', message: 'The run has no such picture.' });
  if (!isPicture(name)) throw missing;
  const file = await containedPath(directory.artifacts, name);
  const facts = await stat(file).catch(() => undefined);
  if (facts?.isFile() !== true || facts.size > largest) throw missing;
  const bytes = await readFile(file);
  if (!bytes.subarray(0, signature.length).equals(signature)) throw missing;
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
