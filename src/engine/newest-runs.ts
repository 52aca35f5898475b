import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord, readJson } from '../base/safe-json.ts';
import { type Home, isRunId, listRunIds } from './run-directory.ts';

/** The newest runs first, as many as were asked for if there are so many, and how many there are. */
export type NewestRuns = { ids: string[]; total: number };

/** The number of ids in the index; longer lists need all names. */
const noted = 200;
/** Below this, reading all names takes no longer than reading the note. */
const worthNoting = 1000;
/** A folder that changed a moment ago may change again within the same tick of its clock. */
const settledMs = 2000;

type Note = { changed: string; total: number; ids: string[] };

/**
 * The newest runs without reading the names of all: ids sort by time, and an index next to the runs keeps the newest for as
 * long as the folder of runs has not changed. The index may be lost or stale at any time; the folder is what counts.
 */
export async function newestRuns(home: Home, count: number): Promise<NewestRuns> {
  const changed = changeOf(home);
  const note = changed === undefined ? undefined : readNote(home, changed);
  if (note !== undefined && (count <= note.ids.length || note.total === note.ids.length))
    return { ids: note.ids.slice(0, count), total: note.total };
  const ids = (await listRunIds(home)).reverse();
  if (note === undefined && changed !== undefined && ids.length >= worthNoting) writeNote(home, changed, ids);
  return { ids: ids.slice(0, count), total: ids.length };
}

/** When the folder last changed, once that is long enough ago to tell the next change from it. */
function changeOf(home: Home): string | undefined {
  const facts = statSync(home.runs, { bigint: true, throwIfNoEntry: false });
  if (facts === undefined || Math.abs(Date.now() - Number(facts.mtimeMs)) < settledMs) return undefined;
  return `${facts.dev}:${facts.ino}:${facts.mtimeNs}`;
}

function noteOf(home: Home): string {
  return path.join(home.root, 'newest-runs.json');
}

function readNote(home: Home, changed: string): Note | undefined {
  let text: string;
  try {
    text = readFileSync(noteOf(home), 'utf8');
  } catch {
    return undefined;
  }
  const reading = readJson(text);
  if (!reading.ok || !isRecord(reading.value) || reading.value['changed'] !== changed) return undefined;
  const { total, ids } = reading.value;
  if (typeof total !== 'number' || !Array.isArray(ids) || !ids.every(isRunId)) return undefined;
  return { changed, total, ids };
}

/** Best effort: ignores write errors. */
function writeNote(home: Home, changed: string, ids: readonly string[]): void {
  const temporary = `${noteOf(home)}.${process.pid}.tmp`;
  const note: Note = { changed, total: ids.length, ids: ids.slice(0, noted) };
  try {
    mkdirSync(home.root, { recursive: true });
    writeFileSync(temporary, JSON.stringify(note), { flag: 'wx' });
    renameSync(temporary, noteOf(home));
  } catch {
    rmSync(temporary, { force: true });
  }
}
