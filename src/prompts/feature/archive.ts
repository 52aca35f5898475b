import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { isInside, isMissing, readTextFile } from '../../base/files/bounded.ts';
import { isRecord } from '../../base/safe-json.ts';
import { sideFiles } from '../artifacts.ts';

/** §2D: what a reviewer says about a fault that began in an earlier phase. */
export type BackwardRequest = {
  /** As the reviewer wrote it. */
  to: string;
  reason?: string;
  findings: readonly BackwardFinding[];
  downstreamImpact?: string;
};

export type BackwardFinding = { issue: string; artifact?: string; section?: string; suggestion?: string };

/** One travel that was made, kept in the state of the feature. */
export type BackwardTrip = { from: string; to: string; issues: number };

/** Words with which reviewers say that there is nothing to go back to. */
const nothing = ['none', 'null', 'no', 'n/a', 'false', '-'];
const maxFindings = 50;
const maxCharacters = 2_000;

/** Reads the request to go back from a reviewer's answer; undefined when it has none. */
export function readBackwardRequest(value: Readonly<Record<string, unknown>>): BackwardRequest | undefined {
  const to = textOf(value['backward_to']);
  if (to === undefined || nothing.includes(to.toLowerCase())) return undefined;
  const context = isRecord(value['backward_context']) ? value['backward_context'] : {};
  const list = Array.isArray(context['findings']) ? context['findings'] : [];
  const reason = textOf(value['backward_reason']);
  const downstreamImpact = textOf(context['downstream_impact']);
  return {
    to,
    findings: list.slice(0, maxFindings).flatMap(readFinding),
    reason,
    downstreamImpact,
  };
}

function readFinding(raw: unknown): BackwardFinding[] {
  if (typeof raw === 'string')
    return raw.trim() === '' ? [] : [{ issue: raw.trim().slice(0, maxCharacters) }];
  const issue = isRecord(raw) ? (textOf(raw['issue']) ?? textOf(raw['description'])) : undefined;
  if (issue === undefined || !isRecord(raw)) return [];
  const rest = ['artifact', 'section', 'suggestion'].flatMap((key) => {
    const text = textOf(raw[key]);
    return text === undefined ? [] : [[key, text]];
  });
  return [{ issue, ...Object.fromEntries(rest) }];
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.trim().slice(0, maxCharacters).toWellFormed();
}

/** T-086, lean/C-06: records that leave the feature when it is finished. */
const records = [sideFiles.history, sideFiles.log] as const;

/** The default folder of features; below it their names are enough. */
const defaultFolder = 'docs/features';

/** The name of a feature in records of the project, with its path unless that is the default folder. */
export function featureKey(root: string, feature: string): string {
  const place = path.relative(root, path.resolve(root, feature)).split(path.sep).join('/');
  if (path.posix.dirname(place) === defaultFolder) return path.posix.basename(place);
  if (place !== '' && isInside(root, path.resolve(root, place))) return place;
  const digest = createHash('sha256').update(path.resolve(root, feature)).digest('hex').slice(0, 8);
  return `${path.basename(feature)}-${digest}`;
}

/** Where the records of features are kept. */
export function archiveDirectory(root: string, feature: string): string {
  return path.join(root, '.charrette', 'features', featureKey(root, feature));
}

/** A record of a finished feature: its place in the feature, and its copy. */
export type KeptRecord = { source: string; copy: string };

/** Copies history and log out of a feature; no earlier copy is replaced, and the same text is not copied twice. */
export async function keepRecords(root: string, featureDirectory: string): Promise<KeptRecord[]> {
  const target = archiveDirectory(root, featureDirectory);
  const kept: KeptRecord[] = [];
  for (const name of records) {
    const source = path.join(featureDirectory, name);
    try {
      await mkdir(target, { recursive: true });
      kept.push({ source, copy: await copyBeside(source, path.join(target, name)) });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return kept;
}

/** T-086: removes the records from the feature. */
export async function dropRecords(kept: readonly KeptRecord[]): Promise<void> {
  for (const { source } of kept) await rm(source, { force: true });
}

/** The feature is not finished after all. */
export async function putBackRecords(kept: readonly KeptRecord[]): Promise<void> {
  for (const { source, copy } of kept) if (!existsSync(source)) await copyFile(copy, source);
}

/** A record of the feature, or its last copy when finishing was interrupted; empty when it has neither. */
export async function readRecord(
  root: string,
  featureDirectory: string,
  name: (typeof records)[number],
): Promise<string> {
  let text = await readTextFile(path.join(featureDirectory, name));
  if (text !== undefined) return text;
  for (const copy of copiesOf(path.join(archiveDirectory(root, featureDirectory), name))) {
    const earlier = await readTextFile(copy);
    if (earlier === undefined) break;
    text = earlier;
  }
  return text ?? '';
}

/** The same text under the same name is enough; other text gets a number. */
async function copyBeside(source: string, wanted: string): Promise<string> {
  const text = await readFile(source);
  for (const target of copiesOf(wanted)) {
    try {
      await copyFile(source, target, constants.COPYFILE_EXCL);
      return target;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      if (text.equals(await readFile(target))) return target;
    }
  }
  throw new Error('Names for copies do not end.');
}

/** Endless names for copies of a file, in order. */
function* copiesOf(wanted: string): Generator<string> {
  const { dir, name, ext } = path.parse(wanted);
  yield wanted;
  for (let number = 2; ; number += 1) yield path.join(dir, `${name}-${number}${ext}`);
}
