import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from './bounded.ts';
import { containedPath } from './contained.ts';

/**
 * Adds a line to a file below a folder of ours; one that is there already is not added. A link that leads out is refused:
 * whoever planted it would have us write into a file of the user.
 */
export async function appendOwnLine(
  folder: string,
  file: string,
  text: string,
  limit: number,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const target = await containedPath(folder, path.relative(folder, file));
  await mkdir(path.dirname(target), { recursive: true });
  const there = (await readTextFile(target, limit)) ?? '';
  const line = `${text}\n`;
  if (!there.includes(line))
    await appendFile(target, there === '' || there.endsWith('\n') ? line : `\n${line}`);
}
