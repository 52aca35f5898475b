import { mkdir, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CharretteError } from '../errors.ts';
import { writeFileAtomic } from '../files/atomic.ts';
import { readTextFile } from '../files/bounded.ts';
import { tidyLine } from '../schema/primitives.ts';

/** L-765 */
export const issueCategories = [
  'Pre-existing Code Issues',
  'Tool Failures',
  'Permission Prompts',
  'External Reviewer Issues',
  'CI Issues',
  'Warnings',
  'Q/A',
] as const;
export type IssueCategory = (typeof issueCategories)[number];

/** L-765: the log with one more bullet at the end of its category; log and section are made when missing. */
export function insertIssue(log: string, category: IssueCategory, entry: string): string {
  const bullet = `- ${tidyLine(entry).replace(/^- /, '')}`;
  const lines = log.replace(/\n+$/, '').split('\n');
  const start = lines.indexOf(`### ${category}`);
  if (start === -1) {
    const before = log.trim() === '' ? '' : `${lines.join('\n')}\n\n`;
    return `${before}### ${category}\n\n${bullet}\n`;
  }
  const next = lines.slice(start + 1).findIndex((line) => line.startsWith('### '));
  const end = next === -1 ? lines.length : start + 1 + next;
  const section = lines.slice(0, end);
  while (section.at(-1) === '') section.pop();
  const rest = lines.slice(end);
  return `${[...section, bullet, ...(rest.length > 0 ? ['', ...rest] : [])].join('\n')}\n`;
}

const lockTries = 100;
const lockWaitMs = 50;
/** A lock older than this was left behind by a process that died. */
const staleLockMs = 60_000;

/** Appends under a lock directory, so that parallel writers lose nothing. */
export async function appendIssue(file: string, category: IssueCategory, entry: string): Promise<void> {
  const lock = `${file}.lock.d`;
  await mkdir(path.dirname(file), { recursive: true });
  await takeLock(lock);
  try {
    await writeFileAtomic(file, insertIssue((await readTextFile(file)) ?? '', category, entry));
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

async function takeLock(lock: string): Promise<void> {
  for (let attempt = 0; attempt < lockTries; attempt += 1) {
    try {
      await mkdir(lock);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > staleLockMs) await rmdir(lock).catch(() => undefined);
    await sleep(lockWaitMs);
  }
  throw new CharretteError({
    code: 'timed-out',
    message: `${lock} was not released in ${(lockTries * lockWaitMs) / 1000} s.`,
    fix: 'Remove the lock directory if no other process is writing the log.',
  });
}
