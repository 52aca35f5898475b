import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { CharretteError } from '../errors.ts';
import { isMissing } from './contained.ts';

const defaultLimit = 16 * 1024 * 1024;

/** Reads a regular file as UTF-8 up to a limit. Never blocks on a FIFO or device; `undefined` when there is no such file. */
export async function readTextFile(file: string, limit = defaultLimit): Promise<string | undefined> {
  const handle = await openRegularFile(file);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > limit) {
      throw new CharretteError({
        code: 'file-too-large',
        message: `${file} has ${size} bytes; at most ${limit} are read.`,
        fix: 'Make the file smaller or split it.',
      });
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function openRegularFile(file: string) {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw new CharretteError({ code: 'not-found', message: `${file} is not a regular file.` });
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP')
      throw new CharretteError({ code: 'not-found', message: `The links of ${file} form a loop.` });
    throw error;
  }
}
