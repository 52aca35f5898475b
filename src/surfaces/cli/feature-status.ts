import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, isInside } from '../../base/files/bounded.ts';
import { type ArtifactKey, artifactKeys } from '../../prompts/artifacts.ts';
import { directoriesIn } from '../../prompts/feature/select.ts';
import { readFeature } from '../../prompts/feature-files.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { textOfFile } from '../../service/named-file.ts';
import { findProject, projectOf } from '../../service/project.ts';
import { featuresRoot } from '../../service/prompts.ts';
import { createFeature } from '../../workflows/feature/rules/create.ts';
import {
  type FeatureStatusReport,
  featureStatus,
  type PhaseState,
} from '../../workflows/feature/rules/status.ts';
import { featureOf, featureOptions, rootOption } from './prompt-input.ts';

export const featureStatusCommand: CommandSpec = {
  examples: [
    ['charrette feature status', 'every feature, one line each'],
    ['charrette feature status --feature 007', 'one feature in full'],
  ],
  options: featureOptions,
  dryRun: 'reads',
  run: runStatus,
};

async function runStatus(invocation: Invocation): Promise<CommandResult> {
  if (invocation.options['feature'] !== undefined) {
    const report = await statusOf(await featureOf(invocation));
    return { exit: 0, text: renderOne(report), json: report };
  }
  const root = featuresRoot(projectOf(invocation), invocation.options['root'] as string | undefined);
  const names = await directoriesIn(root);
  if (names.length === 0) {
    throw new CharretteError({
      code: 'not-found',
      message: `No features in ${root}.`,
      fix: 'Begin one with `charrette feature new NAME`.',
    });
  }
  const reports: FeatureStatusReport[] = [];
  for (const name of names) reports.push(await statusOf(path.join(root, name)));
  return { exit: 0, text: renderAll(reports), json: { features: reports } };
}

async function statusOf(directory: string): Promise<FeatureStatusReport> {
  const feature = await readFeature(directory);
  const texts: Partial<Record<ArtifactKey, string>> = {};
  for (const key of artifactKeys) {
    const file = feature.files[key];
    if (file.kind === 'present' && file.text !== undefined) texts[key] = file.text;
  }
  return featureStatus(path.basename(directory), feature.meta, texts);
}

/** Phases whose reviewers did not approve. */
const verdicts: Readonly<Partial<Record<PhaseState, string>>> = {
  'carried-forward': 'not approved, issues carried forward',
  rejected: 'rejected',
};

function stateText(state: PhaseState): string {
  return verdicts[state] ?? state;
}

function renderAll(reports: readonly FeatureStatusReport[]): string {
  const width = Math.max(...reports.map(({ feature }) => feature.length));
  const lines = reports.map(({ feature, status, lastCompletedPhase, next, phases, problems }) =>
    [
      `${feature.padEnd(width)}  ${status.padEnd(9)}  ${lastCompletedPhase ?? '–'} → ${next?.phase ?? 'done'}`,
      ...phases.flatMap(({ phase, state }) => (state in verdicts ? `${phase}: ${stateText(state)}` : [])),
      ...problems.slice(0, 1),
    ].join('; '),
  );
  return `${lines.join('\n')}\n`;
}

function renderOne(report: FeatureStatusReport): string {
  const next =
    report.next === null ? 'nothing' : `${report.next.phase} (${describe(report.next.transition)})`;
  return [
    `${report.feature}: ${report.status}, ${report.mode}`,
    ...report.phases.map(
      ({ phase, state, iterations }) =>
        `  ${phase.padEnd(13)} ${stateText(state)}${iterations === undefined ? '' : `, ${iterations} iterations`}`,
    ),
    'Artifacts:',
    ...report.artifacts.map(
      ({ name, level, reason }) =>
        `  ${name.padEnd(13)} level ${level} of 4${reason === undefined ? '' : `: ${reason}`}`,
    ),
    ...travelLines(report),
    `Next: ${next}`,
    ...report.problems.map((problem) => `Problem: ${problem}`),
    '',
  ].join('\n');
}

function travelLines({ backward }: FeatureStatusReport): string[] {
  if (backward === null) return [];
  const { to, reason, returnTo } = backward;
  const where = to === undefined ? '' : ` to ${to}`;
  return [`Went back${where}, on the way to ${returnTo}${reason === undefined ? '' : `: ${reason}`}`];
}

function describe(transition: NonNullable<FeatureStatusReport['next']>['transition']): string {
  switch (transition.kind) {
    case 'blocked':
      return `blocked: ${transition.reasons.join('; ')}`;
    case 'over':
      return transition.reason;
    case 'warning':
      return `skips ${transition.skipped.join(', ')}`;
    case 'backward':
      return `again; ${transition.completed} was completed`;
    case 'partial':
      return `started ${transition.started}, not completed`;
    case 'proceed':
      return 'may start';
  }
}

export const featureNewCommand: CommandSpec = {
  examples: [
    ['charrette feature new "search by tag"', 'docs/features/008-search-by-tag'],
    [
      'charrette feature new "search by tag" --prd docs/brainstorms/tags.prd.md',
      'with the PRD it grows from',
    ],
  ],
  arguments: [['<name...>', 'what the feature is about']],
  options: [
    {
      flags: '--mode <mode>',
      description: 'which phases it has',
      choices: ['standard', 'full', 'light'],
      default: 'standard',
    },
    { flags: '--prd <file>', description: 'the PRD it grows from; copied to prd.md' },
    rootOption,
  ],
  dryRun: 'says',
  run: runNew,
};

async function runNew(invocation: Invocation): Promise<CommandResult> {
  const { arguments: words, options, global } = invocation;
  const text = await textOfFile(options['prd'], '--prd', invocation);
  if (text?.trim() === '') {
    throw new CharretteError({
      code: 'usage',
      message: `--prd names ${String(options['prd'])}, which is empty.`,
    });
  }
  const opened = projectOf(invocation);
  const { project } = opened;
  const features = featuresRoot(opened, options['root'] as string | undefined);
  // Only a person's word leads out of the project.
  if (options['root'] === undefined) await containedPath(project, path.relative(project, features));
  const created = await createFeature({
    name: [words[0]].flat().join(' '),
    features,
    mode: options['mode'] as 'standard',
    time: new Date().toISOString(),
    dryRun: global.dryRun,
    ...(text === undefined ? {} : { prd: { text, source: sourceOf(String(options['prd']), global.cwd) } }),
  });
  const made = global.dryRun ? 'would make' : 'made';
  return { exit: 0, text: `${made} ${created.directory}\n`, json: { ...created, dryRun: global.dryRun } };
}

/** Relative to the project where possible, so that the state means the same on another machine. */
function sourceOf(file: string, cwd: string): string {
  const absolute = path.resolve(cwd, file);
  const project = findProject(cwd);
  return isInside(project, absolute) ? path.relative(project, absolute).split(path.sep).join('/') : absolute;
}
