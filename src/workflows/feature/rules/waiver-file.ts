import path from 'node:path';
import { CharretteError } from '../../../base/errors.ts';
import { writeJsonAtomic } from '../../../base/files/atomic.ts';
import { readTextFile } from '../../../base/files/bounded.ts';
import { isRecord, parseJson } from '../../../base/safe-json.ts';
import type { Waiver } from './waivers.ts';

/** lean/C-21: stands beside the artifacts, so that it goes with the feature. */
export const waiverFile = '.waivers.json';

/** A waiver with the words of the issue it was given for, for people. */
export type KeptWaiver = Waiver & { issue?: string };

/** The waivers of a feature. A file that cannot be read stops the caller: it must neither waive nor forget anything unseen. */
export async function readWaivers(directory: string): Promise<KeptWaiver[]> {
  const file = path.join(directory, waiverFile);
  const text = await readTextFile(file, 4 * 1024 * 1024);
  if (text === undefined) return [];
  const value = parseJson(text, file);
  const list = isRecord(value) ? value['waivers'] : undefined;
  if (Array.isArray(list) && list.every(isWaiver)) return list;
  throw new CharretteError({
    code: 'json-invalid',
    message: `${file} does not hold {"waivers": [{"fingerprint", "reason"}]}.`,
    fix: 'Repair or remove the file; nothing was waived.',
  });
}

/** Adds a waiver, or gives an earlier one of the same issue another reason. */
export async function addWaiver(directory: string, waiver: KeptWaiver): Promise<KeptWaiver[]> {
  const others = (await readWaivers(directory)).filter(
    ({ fingerprint }) => fingerprint !== waiver.fingerprint,
  );
  return write(directory, [...others, waiver]);
}

export async function removeWaiver(directory: string, fingerprint: string): Promise<KeptWaiver[]> {
  const all = await readWaivers(directory);
  const rest = all.filter((waiver) => waiver.fingerprint !== fingerprint);
  if (rest.length === all.length) {
    throw new CharretteError({
      code: 'not-found',
      message: `No waiver has the fingerprint ${fingerprint}; there are ${all.map((waiver) => waiver.fingerprint).join(', ') || 'none'}.`,
    });
  }
  return write(directory, rest);
}

async function write(directory: string, waivers: KeptWaiver[]): Promise<KeptWaiver[]> {
  await writeJsonAtomic(path.join(directory, waiverFile), { schemaVersion: 1, waivers });
  return waivers;
}

function isWaiver(value: unknown): value is KeptWaiver {
  return (
    isRecord(value) &&
    typeof value['fingerprint'] === 'string' &&
    typeof value['reason'] === 'string' &&
    value['reason'].trim() !== ''
  );
}
