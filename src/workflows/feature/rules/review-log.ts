import path from 'node:path';
import { appendOwnLine } from '../../../base/files/atomic.ts';
import { readTextFile } from '../../../base/files/bounded.ts';
import { isRecord, readJson } from '../../../base/safe-json.ts';
import { archiveDirectory } from '../../../prompts/feature/archive.ts';
import type { GateResult } from './gate.ts';
import { needsReason, oneLine } from './history.ts';
import { type ReviewIssue, severityOf } from './review-answer.ts';
import { fingerprint } from './waivers.ts';

/** One review as programs read it; the history is the same for people. */
export type ReviewRecord = {
  v: 1;
  time: string;
  command: string;
  role: string;
  iteration: number;
  /** lean/C-20: both verdicts. */
  reviewer: GateResult['reviewer'];
  gate: GateResult['gate'];
  /** Where issues do not say why, such as an answer that could not be read. */
  reason?: string;
  issues: readonly (ReviewIssue & { fingerprint: string; waived?: boolean })[];
};

const logName = 'reviews.jsonl';
const mostBytes = 64 * 1024 * 1024;

export function reviewRecord(
  facts: Pick<ReviewRecord, 'time' | 'command' | 'role' | 'iteration'>,
  result: GateResult,
  issues: readonly ReviewIssue[],
): ReviewRecord {
  return {
    v: 1,
    ...facts,
    reviewer: result.reviewer,
    gate: result.gate,
    ...(needsReason(result, issues) ? { reason: oneLine(result.reason) } : {}),
    issues: issues.map((issue) => ({
      ...issue,
      fingerprint: fingerprint(issue),
      ...(result.waived.includes(issue) ? { waived: true } : {}),
    })),
  };
}

/** lean/C-06: kept outside the feature directory. A record that is there already is not added. */
export async function appendReview(root: string, feature: string, record: ReviewRecord): Promise<void> {
  const file = path.join(archiveDirectory(root, feature), logName);
  await appendOwnLine(path.join(root, '.charrette'), file, JSON.stringify(record), mostBytes);
}

/** Every review that can be read; a line cut by a crash is skipped. */
export async function readReviews(root: string, feature: string): Promise<ReviewRecord[]> {
  const text = (await readTextFile(path.join(archiveDirectory(root, feature), logName), mostBytes)) ?? '';
  return text.split('\n').flatMap((line) => {
    const reading = line.trim() === '' ? undefined : readJson(line, 16 * 1024 * 1024);
    return reading?.ok === true && isReview(reading.value) ? [reading.value] : [];
  });
}

function isReview(value: unknown): value is ReviewRecord {
  return (
    isRecord(value) &&
    value['v'] === 1 &&
    typeof value['command'] === 'string' &&
    typeof value['role'] === 'string' &&
    typeof value['iteration'] === 'number' &&
    Array.isArray(value['issues']) &&
    value['issues'].every((issue) => isRecord(issue) && typeof issue['fingerprint'] === 'string')
  );
}

/** The last word of every role of every command. */
export function latestReviews(reviews: readonly ReviewRecord[]): ReviewRecord[] {
  const latest = new Map<string, ReviewRecord>();
  for (const review of reviews) {
    const key = `${review.command}/${review.role}`;
    latest.delete(key);
    latest.set(key, review);
  }
  return [...latest.values()];
}

/** Whether an issue can hold a gate up at all. */
export function isSerious({ severity }: { severity: string }): boolean {
  return severityOf(severity) !== 'suggestion';
}
