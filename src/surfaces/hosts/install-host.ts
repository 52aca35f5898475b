import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { HostParts } from './host-parts.ts';
import { addSettings, hasForeignServer, isBare, removeSettings } from './json-edit.ts';

/** The text of a settings file. Bytes that are not UTF-8 would not come back as they were, so they are refused. */
async function readSettingsFile(file: string, source: string): Promise<string | undefined> {
  const text = await readTextFile(file);
  if (text?.includes('\uFFFD') !== true || isUtf8(await readFile(file))) return text;
  throw new CharretteError({
    code: 'json-invalid',
    message: `${source} cannot be changed safely: it is not UTF-8.`,
    fix: 'Save the file as UTF-8; it was not changed.',
  });
}

/** Settings hold keys and may be a link into a folder of dotfiles: their permissions and the link stay. */
async function writeSettingsFile(file: string, text: string): Promise<void> {
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined) await writeFileAtomic(file, text);
  else await writeFileAtomic(await realpath(file), text, facts.mode & 0o777);
}

export type HostOutcome = {
  created: string[];
  replaced: string[];
  removed: string[];
  /** Files that the user edited or made; they were not changed. */
  kept: string[];
  log: { level: 'info' | 'warning'; text: string }[];
};

type HostInstallOptions = HostPlace & { dryRun: boolean };

const emptyOutcome = (): HostOutcome => ({ created: [], replaced: [], removed: [], kept: [], log: [] });

/** Sets a host up. Doing it again brings it up to date; files that were edited stay. */
export async function installHost(parts: HostParts, options: HostInstallOptions): Promise<HostOutcome> {
  const { root, dryRun } = options;
  const lock = await readHostRecord(options);
  const next: HostRecord = { schemaVersion: 1, files: {}, shared: { ...lock.shared } };
  const outcome = emptyOutcome();
  // Everything is worked out before anything is written, so that an unreadable file leaves all as it was.
  const changes: { file: string; text: string }[] = [];
  for (const [file, settings] of parts.shared) {
    const target = await containedPath(root, file);
    const before = await readSettingsFile(target, file);
    if (hasForeignServer(before, settings, file))
      outcome.log.push({
        level: 'warning',
        text: `${file} has another MCP server named charrette; it was kept.`,
      });
    const after = addSettings(before, settings, file);
    if (after === before) continue;
    changes.push({ file: target, text: after });
    outcome[before === undefined ? 'created' : 'replaced'].push(file);
    const earlier = lock.shared[file];
    const untouched = earlier !== undefined && before !== undefined && earlier.after === hash(before);
    next.shared[file] = { before: untouched ? earlier.before : before, after: hash(after) };
  }
  for (const [file, text] of parts.files) {
    const target = await containedPath(root, file);
    const before = await readTextFile(target);
    const known = lock.files[file];
    if (before !== undefined && before !== text && known !== hash(before)) {
      outcome.kept.push(file);
      if (known !== undefined) next.files[file] = known;
      continue;
    }
    next.files[file] = hash(text);
    if (before === text) continue;
    changes.push({ file: target, text });
    outcome[before === undefined ? 'created' : 'replaced'].push(file);
  }
  for (const file of Object.keys(lock.files)) {
    if (parts.files.has(file)) continue;
    if (await removeOwn(root, file, lock.files[file], dryRun)) outcome.removed.push(file);
    else outcome.kept.push(file);
  }
  if (dryRun) return outcome;
  for (const { file, text } of changes) {
    mkdirSync(path.dirname(file), { recursive: true });
    await writeSettingsFile(file, text);
  }
  await writeHostRecord(options, next);
  outcome.log.push(...parts.notes.map((text) => ({ level: 'info' as const, text })));
  return outcome;
}

/** Takes a host's set-up away: our files unless edited, our entries in shared files, folders that are empty then. */
export async function removeHost(parts: HostParts, options: HostInstallOptions): Promise<HostOutcome> {
  const { root, dryRun } = options;
  const lock = await readHostRecord(options);
  const outcome = emptyOutcome();
  for (const [file, settings] of parts.shared) {
    const target = await containedPath(root, file);
    const text = await readSettingsFile(target, file);
    if (text === undefined) continue;
    const known = lock.shared[file];
    const whole = known !== undefined && known.after === hash(text);
    // As we left it: the very bytes from before come back, but for what an earlier version of ours left in them.
    const after = removeSettings(whole ? (known.before ?? text) : text, settings, file);
    const made = known !== undefined && known.before === undefined;
    if ((made || whole) && known?.before === undefined && isBare(after, settings, file)) {
      outcome.removed.push(file);
      if (!dryRun) await dropFile(root, target);
    } else if (after !== text) {
      outcome.replaced.push(file);
      if (!dryRun) await writeSettingsFile(target, after);
    }
  }
  for (const file of new Set([...Object.keys(lock.files), ...parts.files.keys()])) {
    const text = parts.files.get(file);
    const expected = lock.files[file] ?? (text === undefined ? undefined : hash(text));
    const target = await containedPath(root, file);
    if (!existsSync(target)) continue;
    if (await removeOwn(root, file, expected, dryRun)) outcome.removed.push(file);
    else outcome.kept.push(file);
  }
  if (!dryRun) dropHostRecord(options);
  return outcome;
}

/** Removes a file that is as we wrote it. */
async function removeOwn(
  root: string,
  file: string,
  expected: string | undefined,
  dryRun: boolean,
): Promise<boolean> {
  const target = await containedPath(root, file);
  const text = await readTextFile(target);
  if (text === undefined) return true;
  if (hash(text) !== expected) return false;
  if (!dryRun) await dropFile(root, target);
  return true;
}

/** Removes a file and the folders that are empty without it, up to the root. */
async function dropFile(root: string, file: string): Promise<void> {
  rmSync(file, { force: true });
  for (let folder = path.dirname(file); folder.length > root.length; folder = path.dirname(folder)) {
    if (readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What was written for a host, so that it can be told from what the user wrote. */
type HostRecord = {
  schemaVersion: 1;
  /** Hash of each file of our own. */
  files: Record<string, string>;
  /** Shared files: what stood there before, and the hash of what we left. */
  shared: Record<string, { before: string | undefined; after: string }>;
};

/** Where a host is set up: below a project, or below the home directory of a user, who keeps the record elsewhere. */
type HostPlace = { root: string; host: string; userFolder?: string };

async function readHostRecord(place: HostPlace): Promise<HostRecord> {
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

async function writeHostRecord(place: HostPlace, record: HostRecord): Promise<void> {
  const file = recordOf(place);
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true });
  const ignore = path.join(folder, '.gitignore');
  if (place.userFolder === undefined && !existsSync(ignore)) writeFileSync(ignore, ignoreAll);
  // What stood in a settings file may hold keys.
  await writeFileAtomic(file, `${JSON.stringify(record, null, 2)}\n`, 'private');
  if (place.userFolder !== undefined) clearHome(place.root, place.userFolder);
}

function dropHostRecord(place: HostPlace): void {
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
 * Earlier versions kept a user's records in the home directory, which made a project of it; hooks left the notes of sessions in
 * such folders.
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
