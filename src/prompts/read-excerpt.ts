import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { CharretteError } from '../base/errors.ts';
import { isMissing } from '../base/files/contained.ts';

/** Beyond this an answer is read at its beginning and its end only. */
const window = 1024 * 1024;

/** An answer of any size as text: whole, or the first and last megabyte. Never loads 100 MB to look for one line. */
export async function readExcerpt(file: string): Promise<string> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await handle.stat();
      if (!facts.isFile()) {
        throw new CharretteError({ code: 'not-found', message: `${file} is not a regular file.` });
      }
      if (facts.size <= 2 * window) return (await handle.readFile()).toString('utf8');
      const buffer = Buffer.alloc(window);
      const head = await handle.read(buffer, 0, window, 0);
      const beginning = buffer.toString('utf8', 0, head.bytesRead);
      const tail = await handle.read(buffer, 0, window, facts.size - window);
      return `${beginning}\n${buffer.toString('utf8', 0, tail.bytesRead)}`;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) throw new CharretteError({ code: 'not-found', message: `${file} is not there.` });
    throw error;
  }
}
