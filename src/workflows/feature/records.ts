import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { rewriteFileAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { loadExactCounter } from '../../base/text/tokens.ts';
import { timeOf } from '../../engine/clock.ts';
import { type ArtifactKey, sideFiles } from '../../prompts/artifacts.ts';
import { appendDispatch } from '../../prompts/dispatch-log.ts';
import { featureKey } from '../../prompts/feature/archive.ts';
import { type MetaReading, readMeta } from '../../prompts/feature/meta.ts';
import { type FeatureFiles, readFeature } from '../../prompts/feature-files.ts';
import type { DispatchRecord } from '../../prompts/rates.ts';
import { appendReview, type HistoryEntry, renderHistoryEntry, reviewRecord } from './rules/history.ts';
import { newMeta, serializeMeta, withSkipped } from './rules/meta-write.ts';
import type { ReviewIssue } from './rules/review-answer.ts';
import { type FreshAnswer, gradeFresh, tokensOf } from './rules/role-call.ts';
import type { FeatureRun } from './run.ts';

/** The feature at a point of the run; the same when the run is resumed after a failure. */
export function look(run: FeatureRun, name: string): Promise<FeatureFiles> {
  return run.once(lookName(name), () => readFeature(run.inputs.directory));
}

/** The same for calls: when the agent gave no answer, a resumed run reads again, because you may fix documents meanwhile. */
export async function looking<Result>(
  run: FeatureRun,
  name: string,
  use: (feature: FeatureFiles) => Promise<Result>,
): Promise<Result> {
  const feature = await look(run, name);
  try {
    return await use(feature);
  } catch (error) {
    if (error instanceof CharretteError && error.code === 'author-failed') run.forget(lookName(name));
    throw error;
  }
}

const lookName = (name: string) => `read feature ${name}`;

export type StateChange = (reading: MetaReading, time: string) => Record<string, unknown>;

/** Changes `.meta.json`; the start of a phase records skipped phases. When `settle` throws, the state stays as it was. */
export async function changeState(
  run: FeatureRun,
  name: string,
  change: StateChange,
  settle: () => Promise<void> = async () => {},
): Promise<void> {
  const { context, inputs } = run;
  await run.once(`state ${name}`, async () => {
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

/** The state of a folder that has none, from its name. */
export function firstState(directory: string, created: string): string {
  const [, id = '', slug = ''] = /^(\d+)-(.+)$/.exec(path.basename(directory)) ?? [];
  return serializeMeta(
    newMeta({ id: id || '000', slug: slug || path.basename(directory), mode: 'standard', created }),
  );
}

/** Adds to a record of the feature; an interrupted step runs again and does not write twice. */
export async function appendRecord(
  run: FeatureRun,
  name: string,
  entry: string,
  { header = '', file = sideFiles.history }: { header?: string; file?: string } = {},
): Promise<void> {
  await run.once(name, async () => {
    const target = path.join(run.inputs.directory, file);
    const existing = (await readTextFile(target)) ?? header;
    if (!existing.includes(entry)) await rewriteFileAtomic(target, `${existing}${entry}`);
    return true;
  });
}

/** One entry of the history, and the same as data. */
export async function recordReview(run: FeatureRun, label: string, entry: HistoryEntry): Promise<void> {
  await appendRecord(run, `history ${label}`, renderHistoryEntry(entry));
  await logReview(run, label, entry);
}

export async function logReview(run: FeatureRun, label: string, entry: HistoryEntry): Promise<void> {
  await run.once(`review ${label}`, async () => {
    await appendReview(run.services.project, run.inputs.directory, reviewRecord(entry));
    return true;
  });
}

/** T-135, lean/C-06: every call, also after the feature is finished. */
export async function logDispatch(
  run: FeatureRun,
  label: string,
  now: number,
  facts: Omit<DispatchRecord, 'v' | 'time' | 'feature'>,
): Promise<void> {
  const { project } = run.services;
  const feature = featureKey(project, run.inputs.directory);
  await run.once(`log ${label}`, async () => {
    await appendDispatch(project, { v: 1, time: new Date(now).toISOString(), feature, ...facts });
    return true;
  });
}

/** T-075, T-077, T-139: grades and logs a call outside the review loops. `full`: every document its role could be given. */
export async function recordFresh(
  run: FeatureRun,
  name: string,
  fresh: Omit<FreshAnswer, 'iteration'>,
  full: readonly ArtifactKey[],
): Promise<void> {
  const now = await run.now(name);
  const count = await loadExactCounter();
  const fullTokens = count(fresh.prompt) + tokensOf(fresh.feature, full, count);
  const { record, markers } = gradeFresh({ ...fresh, iteration: 1 }, fullTokens, count);
  await logDispatch(run, name, now, record);
  for (const line of markers) {
    run.warn(`${name}: ${line}`);
    const heading = `## ${fresh.command} - ${name} - ${new Date(now).toISOString()}`;
    await appendRecord(run, `marker ${name}`, `${heading}\n\n${line}\n\n---\n`);
  }
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
