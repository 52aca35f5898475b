import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomicSync } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { ActiveWorkflow } from './active-workflow.ts';

/** What is written down before a compaction. One file a session. */
export type HostSession = {
  schemaVersion: 1;
  workflow?: ActiveWorkflow;
  /** A compaction took place and the card has not been shown yet. */
  due?: boolean;
};

const mostSessions = 50;

/** Where the sessions of hosts are kept: next to the runs, out of git. */
export function sessionFolder(project: string): string {
  return path.join(project, '.charrette', 'hosts');
}

export async function readSession(project: string, session: string): Promise<HostSession> {
  const empty: HostSession = { schemaVersion: 1 };
  const text = await readTextFile(path.join(sessionFolder(project), `${session}.json`)).catch(
    () => undefined,
  );
  const reading = text === undefined ? undefined : readJson(text);
  if (reading?.ok !== true || !isRecord(reading.value) || reading.value['schemaVersion'] !== 1) return empty;
  return reading.value as unknown as HostSession;
}

/** Keeps a session; the oldest ones give way. */
export function writeSession(project: string, session: string, value: HostSession): void {
  const folder = sessionFolder(project);
  mkdirSync(folder, { recursive: true });
  const ignore = path.join(project, '.charrette', '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  writeFileAtomicSync(path.join(folder, `${session}.json`), `${JSON.stringify(value, null, 2)}\n`);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (files.length <= mostSessions) return;
  const byAge = files
    .map((name) => ({ name, time: statSync(path.join(folder, name)).mtimeMs }))
    .sort((one, other) => one.time - other.time);
  for (const { name } of byAge.slice(0, files.length - mostSessions)) rmSync(path.join(folder, name));
}
