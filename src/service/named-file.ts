import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic.ts';
import { readTextOnce } from '../base/files/bounded.ts';
import type { Invocation } from './command.ts';

/** The text of a file that a flag names; nothing without the flag. */
export async function textOfFile(
  file: unknown,
  flag: string,
  { global, signal }: Pick<Invocation, 'global' | 'signal'>,
): Promise<string | undefined> {
  if (typeof file !== 'string') return undefined;
  const text = await readTextOnce(path.resolve(global.cwd, file), signal);
  if (text !== undefined) return text;
  throw new CharretteError({
    code: 'not-found',
    message: `${flag} names ${file}, which does not exist.`,
    fix: 'Check its name; a relative one starts from the directory of the command, or from --cwd.',
  });
}

/** Writes a file that the user named. */
export async function writeNamedFile(file: string, content: string | Uint8Array): Promise<void> {
  await writeFileAtomic(file, content).catch((cause: unknown) => {
    throw unwritable(file, cause);
  });
}

/** Why no file can be written at a place; other causes are not changed. */
const faults: Readonly<Record<string, string>> = {
  EISDIR: 'it is a directory',
  EEXIST: 'what should be its directory is a file',
  ENOTDIR: 'what should be a directory of its path is a file',
  ENOENT: 'its directory does not exist',
  ENAMETOOLONG: 'its name is too long',
};

/** The error for a file, named on the command line, that cannot be written. */
export function unwritable(file: string, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const fault = faults[code];
  if (fault === undefined) return cause;
  return new CharretteError({
    code: 'usage',
    message: `${file} cannot be written: ${fault}.`,
    fix: 'Name a file in an existing directory.',
    cause,
  });
}
