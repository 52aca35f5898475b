import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { markdownLines } from '../../base/markdown/lines.ts';
import { sideFiles } from '../../prompts/artifacts.ts';
import { readDispatches } from '../../prompts/dispatch-log.ts';
import {
  dropRecords,
  featureKey,
  type KeptRecord,
  keepRecords,
  putBackRecords,
  readRecord,
} from '../../prompts/feature/archive.ts';
import { readMeta } from '../../prompts/feature/meta.ts';
import { type FeatureFiles, readFeature } from '../../prompts/feature-files.ts';
import { countMarkers } from '../../prompts/markers.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { printNotice } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import { commitRevision, completionMessage } from '../../workflows/feature/commit.ts';
import type { PullRequestFacts } from '../../workflows/feature/rules/finish-texts.ts';
import { renderRetro } from '../../workflows/feature/rules/finish-texts.ts';
import { readReviews } from '../../workflows/feature/rules/history.ts';
import {
  serializeMeta,
  withPhaseCompleted,
  withPhaseStarted,
  withSkipped,
} from '../../workflows/feature/rules/meta-write.ts';
import { readWaivers } from '../../workflows/feature/rules/waivers.ts';
import {
  carryOut,
  existingBranch,
  handOverOptions,
  planHandOver,
  refuseUnmerged,
  unmergedOption,
} from './feature-hand-over.ts';
import { branchOption, enter, settleBranch, textsOf } from './feature-run.ts';
import { featureOf, featureOptions } from './prompt-input.ts';

export const featureFinishCommand: CommandSpec = {
  examples: [
    ['charrette feature finish', 'the active feature'],
    ['charrette feature finish --merge', 'and merge its branch into the main one'],
    ['charrette feature finish --pull-request', 'and write the text of a pull request'],
    ['charrette feature finish --feature 007 --no-checks', 'without running the tests'],
  ],
  options: [
    ...featureOptions,
    branchOption,
    { flags: '--no-checks', description: 'do not run the tests of the project' },
    unmergedOption,
    ...handOverOptions,
  ],
  dryRun: 'says',
  run: runFinish,
};

/** §2B */
const mostAttempts = 3;

async function runFinish(invocation: Invocation): Promise<CommandResult> {
  const { options, global, terminal } = invocation;
  const project = findProject(global.cwd);
  const found = await readFeature(await featureOf(invocation));
  const feature = await settleBranch(found, project, invocation);
  const wantsHandOver = options['merge'] === true || options['pullRequest'] === true;
  if (feature.meta.meta.status === 'completed' && wantsHandOver)
    return handOverLater(feature, project, invocation);
  const skipped = enter('finish', feature, global.yes);
  withPhaseStarted(feature.meta, 'finish', '');
  if (options['unmerged'] !== true) await refuseUnmerged(feature, project);
  const handOver = await planHandOver(feature, project, invocation);
  const unticked = untickedIn(textsOf(feature).tasks ?? '');
  if (unticked > 0 && !global.quiet)
    terminal.stderr.write(`warning: ${unticked} boxes of tasks.md are not ticked\n`);
  const checks =
    options['checks'] === false || global.dryRun ? 'skipped' : await runChecks(project, invocation);
  if (global.dryRun) {
    const json = { dryRun: true, feature: feature.directory, unticked, skipped };
    return { exit: 0, text: `would complete ${feature.directory}\n`, json };
  }
  const retro = await writeRetro(project, feature, unticked);
  let facts: PullRequestFacts | undefined;
  let kept: KeptRecord[] = [];
  try {
    if (handOver !== undefined) facts = await handOverFacts(project, feature, checks);
    kept = await keepRecords(project, feature.directory);
    await completeState(feature.directory, skipped, async () => {
      await dropRecords(kept);
      if (handOver !== undefined) await commitRecords(project, feature.directory);
    });
  } catch (error) {
    await putBackRecords(kept);
    if (retro.isNew) await rm(retro.file, { force: true });
    throw error;
  }
  const done =
    handOver === undefined || facts === undefined
      ? undefined
      : await carryOut(handOver, feature.directory, project, facts);
  const archived = kept.map(({ copy }) => copy);
  return {
    exit: 0,
    text: [
      `finished ${feature.directory}`,
      `checks: ${checks}`,
      `retrospective: ${retro.file}`,
      ...archived.map((file) => `kept: ${file}`),
      ...(done === undefined ? [] : [done.text]),
      '',
    ].join('\n'),
    json: {
      feature: feature.directory,
      checks,
      retro: retro.file,
      archived,
      unticked,
      branch: await existingBranch(project, feature.meta.meta.branch),
      ...done?.json,
    },
  };
}

/** A finished feature can still be handed over: later, or after an interrupted first attempt. */
async function handOverLater(
  feature: FeatureFiles,
  project: string,
  invocation: Invocation,
): Promise<CommandResult> {
  const { directory } = feature;
  if (invocation.options['unmerged'] !== true) await refuseUnmerged(feature, project);
  const handOver = await planHandOver(feature, project, invocation);
  if (handOver === undefined || invocation.global.dryRun)
    return { exit: 0, text: `would hand over ${directory}\n`, json: { dryRun: true, feature: directory } };
  const facts = await handOverFacts(project, feature, 'not run again');
  const kept = await keepRecords(project, directory);
  try {
    await dropRecords(kept);
    await commitRecords(project, directory);
  } catch (error) {
    await putBackRecords(kept);
    throw error;
  }
  const done = await carryOut(handOver, directory, project, facts);
  return {
    exit: 0,
    text: `finished before: ${directory}\n${done.text}\n`,
    json: { feature: directory, ...done.json },
  };
}

/** Tests that fail stop here: nothing has been changed yet. */
async function runChecks(project: string, invocation: Invocation): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'charrette-checks-'));
  try {
    return await checkUpTo(mostAttempts, project, folder, invocation);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkUpTo(
  most: number,
  project: string,
  folder: string,
  { signal, global, terminal }: Invocation,
): Promise<string> {
  const { runTests } = await import('../../workflows/build/run-tests.ts');
  for (let attempt = 1; ; attempt += 1) {
    const { command, outcome, output } = await runTests(project, folder, signal);
    const name = command?.argv.join(' ') ?? '';
    if (outcome === 'UNKNOWN') return command === null ? 'no command for tests was found' : output;
    if (outcome === 'PASS') return `passed (${name})${attempt === 1 ? '' : `, at attempt ${attempt}`}`;
    if (!global.quiet) printNotice(terminal, `${name} failed, attempt ${attempt} of ${most}`);
    if (attempt < most) continue;
    throw new CharretteError({
      code: 'checks-failed',
      message: `${name} failed ${most} times; the feature is not finished. Its last words: ${output.trim().slice(-600)}`,
      fix: 'Fix the tests, then rerun `charrette feature finish`; --no-checks skips them.',
    });
  }
}

/** An existing retrospective stays. */
async function writeRetro(
  project: string,
  feature: FeatureFiles,
  unticked: number,
): Promise<{ file: string; isNew: boolean }> {
  const file = path.join(feature.directory, sideFiles.retrospective);
  if (existsSync(file)) return { file, isNew: false };
  const key = featureKey(project, feature.directory);
  const text = renderRetro({
    feature: path.basename(feature.directory),
    meta: feature.meta.meta,
    reviews: await readReviews(project, feature.directory),
    dispatches: (await readDispatches(project)).filter((record) => record.feature === key),
    markers: countMarkers(await readRecord(project, feature.directory, sideFiles.history)),
    waivers: await readWaivers(feature.directory),
    log: await readRecord(project, feature.directory, sideFiles.log),
    unticked,
  });
  await writeFileAtomic(file, text);
  return { file, isNew: true };
}

/** What the pull request is made from, read before the records move. */
async function handOverFacts(
  project: string,
  feature: FeatureFiles,
  checks: string,
): Promise<PullRequestFacts> {
  return {
    feature: path.basename(feature.directory),
    meta: feature.meta.meta,
    spec: textsOf(feature).spec ?? '',
    log: await readRecord(project, feature.directory, sideFiles.log),
    waivers: await readWaivers(feature.directory),
    checks,
  };
}

/** §2B, §2C: what is left over in the folder of the feature is committed; without that nothing is completed. */
async function commitRecords(project: string, directory: string): Promise<void> {
  const slug = path.basename(directory).replace(/^\d+-/, '');
  const folder = path.relative(project, directory).split(path.sep).join('/');
  const outcome = await commitRevision(project, [folder], completionMessage('finish', slug));
  if (outcome.kind !== 'COMMIT_FAILED') return;
  throw new CharretteError({
    code: 'git-failed',
    message: `The feature is not finished, because its records could not be committed: ${outcome.reason}`,
    fix: 'Fix the git error, then rerun `charrette feature finish`.',
  });
}

async function completeState(
  directory: string,
  skipped: readonly string[],
  settle: () => Promise<void>,
): Promise<void> {
  const file = path.join(directory, sideFiles.state);
  const time = new Date().toISOString();
  const again = (raw: Record<string, unknown>) => readMeta(serializeMeta(raw));
  const { firstState } = await import('../../workflows/feature/records.ts');
  const before = (await readTextFile(file)) ?? firstState(directory, time);
  let reading = readMeta(before);
  if (skipped.length > 0)
    reading = again(
      withSkipped(
        reading,
        skipped.map((phase) => ({ phase, skippedAt: time, toPhase: 'finish' })),
      ),
    );
  reading = again(withPhaseStarted(reading, 'finish', reading.meta.phases['finish']?.started ?? time));
  await writeFileAtomic(
    file,
    serializeMeta(withPhaseCompleted(reading, 'finish', { time, iterations: 0, reviewerNotes: [] })),
  );
  try {
    await settle();
  } catch (error) {
    await writeFileAtomic(file, before);
    throw error;
  }
}

function untickedIn(tasks: string): number {
  return markdownLines(tasks).filter(
    ({ kind, start, end }) =>
      kind === 'text' && /^\s*[-*+]\s+\[ \]\s/.test(tasks.slice(start, Math.min(end, start + 400))),
  ).length;
}
