import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { rewriteFileAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { timeOf } from '../../engine/clock.ts';
import { sideFiles } from '../../prompts/artifacts.ts';
import { appendDispatch } from '../../prompts/dispatch-log.ts';
import { featureKey } from '../../prompts/feature/archive.ts';
import { type MetaReading, readMeta } from '../../prompts/feature/meta.ts';
import { type FeatureFiles, readFeature } from '../../prompts/feature-files.ts';
import type { FeatureDesk } from './desk.ts';
import type { HistoryEntry } from './rules/history.ts';
import { renderHistoryEntry } from './rules/history.ts';
import { newMeta, serializeMeta, withSkipped } from './rules/meta-write.ts';
import type { ReviewIssue } from './rules/review-answer.ts';
import type { ReviewResult } from './rules/review-call.ts';
import { appendReview, reviewRecord } from './rules/review-log.ts';

/** What the feature looks like at a point of the run; the same when the run goes on after a failure. */
export function look(desk: FeatureDesk, name: string): Promise<FeatureFiles> {
  return desk.once(lookName(name), () => readFeature(desk.inputs.directory));
}

/** The same for calls: where the agent gave no answer, whoever goes on looks again, because documents may be mended meanwhile. */
export async function looking<Result>(
  desk: FeatureDesk,
  name: string,
  use: (feature: FeatureFiles) => Promise<Result>,
): Promise<Result> {
  const feature = await look(desk, name);
  try {
    return await use(feature);
  } catch (error) {
    if (error instanceof CharretteError && error.code === 'author-failed') desk.forget(lookName(name));
    throw error;
  }
}

const lookName = (name: string) => `read feature ${name}`;

export type StateChange = (reading: MetaReading, time: string) => Record<string, unknown>;

/** Changes `.meta.json`; skipped phases are put on record when the phase starts. `settle` may refuse: then it stays as it was. */
export async function changeState(
  desk: FeatureDesk,
  name: string,
  change: StateChange,
  settle: () => Promise<void> = async () => {},
): Promise<void> {
  const { context, inputs } = desk;
  await desk.once(`state ${name}`, async () => {
    const file = path.join(inputs.directory, sideFiles.state);
    const time = timeOf(context.clock);
    const before = (await readTextFile(file)) ?? firstState(inputs.directory, time);
    const reading = readMeta(before);
    const skipped = inputs.skipped.map((phase) => ({ phase, skippedAt: time, toPhase: inputs.phase }));
    const first =
      name === 'start' && skipped.length > 0
        ? readMeta(serializeMeta(withSkipped(reading, skipped)))
        : reading;
    await rewriteFileAtomic(file, serializeMeta(change(first, time)));
    try {
      await settle();
    } catch (error) {
      await rewriteFileAtomic(file, before);
      throw error;
    }
    return true;
  });
}

/** A folder without a state gets one that says what its name says. */
export function firstState(directory: string, created: string): string {
  const [, id = '', slug = ''] = /^(\d+)-(.+)$/.exec(path.basename(directory)) ?? [];
  return serializeMeta(
    newMeta({ id: id || '000', slug: slug || path.basename(directory), mode: 'standard', created }),
  );
}

/** Adds to a record of the feature; a step that was cut off runs again and does not write twice. */
export async function appendRecord(
  desk: FeatureDesk,
  name: string,
  entry: string,
  header = '',
  file: string = sideFiles.history,
): Promise<void> {
  await desk.once(name, async () => {
    const target = path.join(desk.inputs.directory, file);
    const there = (await readTextFile(target)) ?? header;
    if (!there.includes(entry)) await rewriteFileAtomic(target, `${there}${entry}`);
    return true;
  });
}

/** One entry of the history, and the same for programs. */
export async function recordReview(desk: FeatureDesk, label: string, entry: HistoryEntry): Promise<void> {
  await appendRecord(desk, `history ${label}`, renderHistoryEntry(entry));
  await logReview(desk, label, entry);
}

export async function logReview(
  desk: FeatureDesk,
  label: string,
  entry: Pick<HistoryEntry, 'command' | 'role' | 'iteration' | 'time' | 'result' | 'issues'>,
): Promise<void> {
  const { command, role, iteration, time, result, issues } = entry;
  const record = reviewRecord({ time, command, role, iteration }, result, issues);
  await desk.once(`review ${label}`, async () => {
    await appendReview(desk.services.project, desk.inputs.directory, record);
    return true;
  });
}

/** Every call beyond the life of the feature (T-135, lean/C-06). */
export async function logDispatch(
  desk: FeatureDesk,
  label: string,
  now: number,
  facts: ReviewResult['record'],
): Promise<void> {
  await desk.once(`log ${label}`, async () => {
    await appendDispatch(desk.services.project, {
      v: 1,
      time: new Date(now).toISOString(),
      feature: featureKey(desk.services.project, desk.inputs.directory),
      ...facts,
    });
    return true;
  });
}

export function issueLines(issues: readonly ReviewIssue[]): string[] {
  return issues.map(({ severity, description, location, suggestion }) =>
    [
      `[${severity}] ${description}`,
      ...(location === undefined ? [] : [`(at: ${location})`]),
      ...(suggestion === undefined ? [] : [`Suggestion: ${suggestion}`]),
    ].join(' '),
  );
}
