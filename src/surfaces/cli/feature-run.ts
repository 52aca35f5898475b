import { thisWorld } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import type { Config } from '../../base/schema/config.ts';
import { type ArtifactKey, artifactKeys } from '../../prompts/artifacts.ts';
import { type FeatureFiles, readFeature } from '../../prompts/feature-files.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { checkBranch, switchTo } from '../../repo/git/feature-branch.ts';
import { type CommandResult, type Invocation, type OptionSpec, printNotice } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import type { FeatureInputs } from '../../workflows/feature/inputs.ts';
import { withPhaseStarted } from '../../workflows/feature/rules/meta-write.ts';
import { defaultConcurrency, type Phase } from '../../workflows/feature/rules/phases.ts';
import { transitionTo } from '../../workflows/feature/rules/status.ts';
import { readWaivers } from '../../workflows/feature/rules/waivers.ts';
import { startCommand } from './conduct.ts';
import { queueOptions, wholeNumber } from './options.ts';
import { featureOf, featureOptions } from './prompt-input.ts';

/** For every command that continues a feature. */
export const branchOption: OptionSpec = {
  flags: '--branch <what>',
  description: 'where the feature has a branch that is not checked out: go there, or work here',
  choices: ['switch', 'stay'],
};

/** Flags of every command that has a feature reviewed. */
export const reviewOptions: readonly OptionSpec[] = [
  ...queueOptions,
  ...featureOptions,
  branchOption,
  { flags: '--agents <list>', description: 'who writes and who reviews, comma-separated' },
  {
    flags: '--transport <kind>',
    description: 'how the document travels to reviewers',
    choices: ['reference', 'inline'],
    default: 'inline',
  },
  {
    flags: '--inline-up-to <characters>',
    description: 'documents up to this size go into the prompt, longer ones by reference',
    parse: wholeNumber('--inline-up-to', 1, 1_000_000),
  },
  {
    flags: '--gate <mode>',
    description: 'what holds a phase up',
    choices: ['strict', 'blockers-only'],
    default: 'strict',
  },
  { flags: '--max <n>', description: 'rounds at most (5)', parse: wholeNumber('--max', 1, 20) },
];

export type Prepared = { feature: FeatureFiles; project: string; config: Config; inputs: FeatureInputs };

/** Finds the feature, checks that the phase may start, and chooses who works. Nothing is written. */
export async function prepareFeature<Named extends Phase>(
  phase: Named,
  invocation: Invocation,
): Promise<Prepared & { inputs: FeatureInputs & { phase: Named } }> {
  const { options, global } = invocation;
  const project = findProject(global.cwd);
  const found = await readFeature(await featureOf(invocation));
  const feature = await settleBranch(found, project, invocation);
  const skipped = enter(phase, feature, global.yes);
  // A state that cannot be changed is found out before anything starts.
  withPhaseStarted(feature.meta, phase, '');
  await readWaivers(feature.directory);
  const { loadConfig } = await import('../../base/config/config.ts');
  const { rosterOf } = await import('../../workflows/roster.ts');
  const world = thisWorld();
  const { config } = await loadConfig({ project, env: world.environment, file: global.config });
  const roster = rosterOf(config, world, namesIn(options['agents']));
  const [author, reviewer = author] = roster.map(({ id }) => id);
  if (author === undefined || reviewer === undefined) {
    throw new CharretteError({
      code: 'agent-not-found',
      message: 'No agent can write the document.',
      fix: 'Run `charrette doctor`.',
    });
  }
  const artifacts = config.artifacts ?? {};
  for (const key of Object.keys(artifacts)) {
    const [command = '', role = ''] = key.split('/');
    dispatchFor(command, role);
  }
  const inputs = {
    roster,
    project,
    parallel: config.limits?.parallel ?? defaultConcurrency,
    phase,
    directory: feature.directory,
    author,
    reviewer,
    transport: options['transport'] as 'inline',
    ...(typeof options['inlineUpTo'] === 'number' ? { inlineUpTo: options['inlineUpTo'] } : {}),
    gate: options['gate'] as 'strict',
    ...(typeof options['max'] === 'number' ? { max: options['max'] } : {}),
    artifacts,
    skipped,
    agentSeconds: config.limits?.agentSeconds ?? 1_800,
    consented: global.yes || config.consent === true,
  };
  return { feature, project, config, inputs };
}

/** Makes the run and stays with it. */
export function startFeatureRun(
  workflow: string,
  inputs: FeatureInputs,
  invocation: Invocation,
): Promise<CommandResult> {
  const title = `${inputs.phase} ${inputs.directory.split(/[/\\]/).at(-1) ?? ''}`;
  return startCommand(invocation, { workflow, title, inputs });
}

function namesIn(list: unknown): string[] | undefined {
  if (typeof list !== 'string') return undefined;
  const names = list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  if (names.length > 0) return names;
  throw new CharretteError({ code: 'usage', message: '--agents names no agent.' });
}

/** §2C: rejects what cannot start; what needs consent requires --yes. Returns the skipped phases. */
export function enter(phase: Phase, feature: FeatureFiles, agreed: boolean): readonly Phase[] {
  const { meta } = feature.meta;
  const transition = transitionTo({ to: phase, meta, texts: textsOf(feature), faults: faultsOf(feature) });
  if (transition.kind === 'over') {
    throw new CharretteError({
      code: 'usage',
      message: `${phase} cannot start: ${transition.reason}.`,
      fix: 'Name another feature with --feature, or begin one with `charrette feature new NAME`.',
    });
  }
  if (transition.kind === 'blocked') {
    throw new CharretteError({
      code: 'artifact-missing',
      message: `${phase} cannot start: ${transition.reasons.join('; ')}.`,
      fix: 'Complete the earlier phases, or fix the documents.',
    });
  }
  if (transition.kind === 'proceed' || transition.kind === 'partial' || agreed) {
    return transition.kind === 'warning' ? transition.skipped : [];
  }
  const what =
    transition.kind === 'warning'
      ? `${phase} would skip ${transition.skipped.join(', ')}`
      : `${phase} was completed before; ${transition.completed} is the last completed phase`;
  throw new CharretteError({ code: 'usage', message: `${what}.`, fix: 'Say --yes if that is meant.' });
}

/** Artifacts that are there and cannot be read, with what is wrong. */
function faultsOf({ files }: FeatureFiles): Partial<Record<ArtifactKey, string>> {
  const faults: Partial<Record<ArtifactKey, string>> = {};
  for (const key of artifactKeys) {
    const file = files[key];
    if (file.kind === 'unusable') faults[key] = file.reason;
    else if (file.kind === 'present' && file.text === undefined)
      faults[key] = `too large to read (${file.bytes} bytes)`;
  }
  return faults;
}

export function textsOf({ files }: FeatureFiles): Partial<Record<ArtifactKey, string>> {
  const texts: Partial<Record<ArtifactKey, string>> = {};
  for (const key of artifactKeys) {
    const file = files[key];
    if (file.kind === 'present' && file.text !== undefined) texts[key] = file.text;
  }
  return texts;
}

/**
 * §2C: a feature has its own branch. Refuses any other unless --branch or --yes decides. Returns the feature of the branch that is
 * checked out afterwards.
 */
export async function settleBranch(
  feature: FeatureFiles,
  project: string,
  { options, global, terminal }: Invocation,
): Promise<FeatureFiles> {
  const check = await checkBranch(project, feature.meta.meta.branch);
  if (check.kind !== 'differs') return feature;
  const { branch, current } = check;
  const choice = options['branch'] ?? (global.yes ? 'switch' : undefined);
  if (choice === 'stay') return feature;
  if (choice !== 'switch') {
    throw new CharretteError({
      code: 'usage',
      message: `The feature belongs to the branch ${branch}; ${current} is checked out.`,
      fix: 'Pass --branch switch to check it out, or --branch stay to work here.',
    });
  }
  if (global.dryRun) return feature;
  await switchTo(project, branch);
  if (!global.quiet) printNotice(terminal, `switched from ${current} to ${branch}`);
  try {
    return await readFeature(feature.directory);
  } catch (error) {
    if (current !== 'no branch') await switchTo(project, current);
    throw error;
  }
}
