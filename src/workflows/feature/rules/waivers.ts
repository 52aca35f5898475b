import { createHash } from 'node:crypto';
import path from 'node:path';
import { CharretteError } from '../../../base/errors.ts';
import { writeJsonAtomic } from '../../../base/files/atomic.ts';
import { readTextFile } from '../../../base/files/bounded.ts';
import { isRecord, parseJson } from '../../../base/safe-json.ts';
import type { ReviewIssue } from './review-answer.ts';

/** lean/C-21: next to the artifacts, so that it moves with the feature. */
export const waiverFile = '.waivers.json';

/** lean/C-21: an accepted issue, and why. `issue`: its description, for readers. */
export type Waiver = { fingerprint: string; reason: string; by?: string; time?: string; issue?: string };

/** Ignores case, spacing, punctuation and line numbers of an issue. */
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

/** The waivers of a feature. An unreadable file is an error: nothing unseen may be waived or forgotten. */
export async function readWaivers(directory: string): Promise<Waiver[]> {
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

/** Adds a waiver, or replaces an earlier one of the same issue. */
export async function addWaiver(directory: string, waiver: Waiver): Promise<Waiver[]> {
  const others = (await readWaivers(directory)).filter(
    ({ fingerprint }) => fingerprint !== waiver.fingerprint,
  );
  return write(directory, [...others, waiver]);
}

export async function removeWaiver(directory: string, fingerprint: string): Promise<Waiver[]> {
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

async function write(directory: string, waivers: Waiver[]): Promise<Waiver[]> {
  await writeJsonAtomic(path.join(directory, waiverFile), { schemaVersion: 1, waivers });
  return waivers;
}

function isWaiver(value: unknown): value is Waiver {
  return (
    isRecord(value) &&
    typeof value['fingerprint'] === 'string' &&
    typeof value['reason'] === 'string' &&
    value['reason'].trim() !== ''
  );
}
