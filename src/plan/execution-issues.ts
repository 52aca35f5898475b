import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../base/files/atomic.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { withDirectoryLock } from '../base/files/directory-lock.ts';
import { tidyLine } from '../base/schema/primitives.ts';
import { withoutLast } from '../base/text/strings.ts';

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

/**
 * L-765: the log with one more bullet at the end of its category; log and section are made when missing. A bullet that is there
 * already stays alone: a step that a kill cut off writes again.
 */
export function insertIssue(log: string, category: IssueCategory, entry: string): string {
  const bullet = `- ${tidyLine(entry).replace(/^- /, '')}`;
  const lines = withoutLast(log, '\n').split('\n');
  const start = lines.indexOf(`### ${category}`);
  if (start === -1) {
    const before = log.trim() === '' ? '' : `${lines.join('\n')}\n\n`;
    return `${before}### ${category}\n\n${bullet}\n`;
  }
  const next = lines.slice(start + 1).findIndex((line) => line.startsWith('### '));
  const end = next === -1 ? lines.length : start + 1 + next;
  const section = lines.slice(0, end);
  if (section.slice(start).includes(bullet)) return log;
  while (section.at(-1) === '') section.pop();
  const rest = lines.slice(end);
  return `${[...section, bullet, ...(rest.length > 0 ? ['', ...rest] : [])].join('\n')}\n`;
}

/** Appends under a lock directory, so that parallel writers lose nothing. */
export async function appendIssue(file: string, category: IssueCategory, entry: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await withDirectoryLock(file, async () =>
    writeFileAtomic(file, insertIssue((await readTextFile(file)) ?? '', category, entry)),
  );
}
