import { isUtf8 } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';

/** The text of a settings file. Bytes that are not UTF-8 would not come back as they were, so they are refused. */
export async function readSettingsFile(file: string, source: string): Promise<string | undefined> {
  const text = await readTextFile(file);
  if (text?.includes('\uFFFD') !== true || isUtf8(await readFile(file))) return text;
  throw new CharretteError({
    code: 'json-invalid',
    message: `${source} cannot be changed safely: it is not UTF-8.`,
    fix: 'Save the file as UTF-8; it was left as it is.',
  });
}

/** Settings hold keys and may be a link into a folder of dotfiles: whoever could read them still can, and the link stays. */
export async function writeSettingsFile(file: string, text: string): Promise<void> {
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined) await writeFileAtomic(file, text);
  else await writeFileAtomic(await realpath(file), text, facts.mode & 0o777);
}
