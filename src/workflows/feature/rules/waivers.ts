import { createHash } from 'node:crypto';
import type { ReviewIssue } from './review-answer.ts';

/** lean/C-21: an issue that was accepted as it is, and why. */
export type Waiver = { fingerprint: string; reason: string; by?: string; time?: string };

/** The same issue in other words of the same kind: case, spacing, punctuation and numbers of lines do not matter. */
export function fingerprint({ category, location, description }: ReviewIssue): string {
  const parts = [category ?? '', location ?? '', description].map((part) =>
    part
      .toLowerCase()
      .replace(/\b(?:line|lines|l)\s*\d+(?:\s*[-–]\s*\d+)?/g, '')
      .replace(/:\d+(?:[-–]\d+)?/g, '')
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  );
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

export function isWaived(issue: ReviewIssue, waivers: readonly Waiver[]): boolean {
  const own = fingerprint(issue);
  return waivers.some((waiver) => waiver.fingerprint === own && waiver.reason.trim() !== '');
}
