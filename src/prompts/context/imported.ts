import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';

/** Names in the design folder that `charrette import` has written, as its own record lists them; none without a record. */
export async function importedNames(directory: string): Promise<ReadonlySet<string>> {
  const text = await readTextFile(path.join(directory, 'import-warnings.json')).catch(() => undefined);
  const reading = readJson(text ?? '');
  const written = reading.ok && isRecord(reading.value) ? reading.value['written'] : undefined;
  return new Set(Array.isArray(written) ? written.filter((name) => typeof name === 'string') : []);
}
