import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';

/** What was written for a host, so that it can be told from what the user wrote. */
export type HostRecord = {
  schemaVersion: 1;
  /** Hash of each file of our own. */
  files: Record<string, string>;
  /** Shared files: what stood there before, and the hash of what we left. */
  shared: Record<string, { before: string | undefined; after: string }>;
};

/** Where a host is set up: below a project, or below the home directory of a user, who keeps the record elsewhere. */
export type HostPlace = { root: string; host: string; userFolder?: string };

export async function readHostRecord(place: HostPlace): Promise<HostRecord> {
  const empty: HostRecord = { schemaVersion: 1, files: {}, shared: {} };
  const file = [recordOf(place), inRoot(place)].find((each) => existsSync(each));
  const text = file === undefined ? undefined : await readTextFile(file);
  if (text === undefined) return empty;
  const reading = readJson(text);
  if (!reading.ok || !isRecord(reading.value) || reading.value['schemaVersion'] !== 1) {
    throw new CharretteError({
      code: 'json-invalid',
      message: `${file} is not a record of a host's set-up.`,
      fix: 'Remove the file; edited files are then kept.',
    });
  }
  return { ...empty, ...(reading.value as unknown as HostRecord) };
}

export async function writeHostRecord(place: HostPlace, record: HostRecord): Promise<void> {
  const file = recordOf(place);
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true });
  const ignore = path.join(folder, '.gitignore');
  if (place.userFolder === undefined && !existsSync(ignore)) writeFileSync(ignore, ignoreAll);
  // What stood in a settings file may hold keys.
  await writeFileAtomic(file, `${JSON.stringify(record, null, 2)}\n`, 'private');
  if (place.userFolder !== undefined) clearHome(place.root, place.userFolder);
}

export function dropHostRecord(place: HostPlace): void {
  if (place.userFolder !== undefined) clearHome(place.root, place.userFolder);
  const file = recordOf(place);
  if (!existsSync(file)) return;
  rmSync(file);
  dropUnused(path.dirname(file));
}

const ignoreAll = '*\n';

const recordOf = (place: HostPlace) =>
  place.userFolder === undefined ? inRoot(place) : path.join(place.userFolder, nameOf(place));
const inRoot = (place: HostPlace) => path.join(place.root, '.charrette', nameOf(place));
const nameOf = ({ host }: HostPlace) => `host-${host}.json`;

/**
 * A user's records stood in the home directory once and made a project of it, for every folder below; hooks left the notes of
 * sessions in such folders beside them.
 */
function clearHome(home: string, userFolder: string): void {
  const folder = path.join(home, '.charrette');
  if (!existsSync(folder)) return;
  const records = readdirSync(folder).filter((name) => /^host-\w+\.json$/.test(name));
  for (const name of records) {
    const target = path.join(userFolder, name);
    mkdirSync(userFolder, { recursive: true });
    if (!existsSync(target)) copyFileSync(path.join(folder, name), target);
    rmSync(path.join(folder, name));
  }
  dropUnused(folder, records.length > 0 ? ['hosts'] : []);
}

/** Removes a folder with nothing in it but this and what keeps it out of git. */
function dropUnused(folder: string, left: readonly string[] = []): void {
  const isUnused = (name: string) =>
    left.includes(name) ||
    (name === '.gitignore' && readFileSync(path.join(folder, name), 'utf8') === ignoreAll);
  if (readdirSync(folder).every(isUnused)) rmSync(folder, { recursive: true });
}
