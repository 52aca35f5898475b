import { thisWorld } from '../agents/settings.ts';
import { clockFrom, idsFrom } from '../engine/clock.ts';
import { homeOf } from '../engine/run-directory.ts';
import { CharretteError } from '../errors.ts';
import { transitionTo } from '../feature/transition.ts';
import { type ArtifactKey, artifactKeys } from '../prompts/artifacts.ts';
import { type FeatureFiles, readFeature } from '../prompts/feature-files.ts';
import { createRun } from '../workflows/create-run.ts';
import type { DocumentPhase, FeaturePhaseInputs } from '../workflows/feature/inputs.ts';
import type { CommandResult, CommandSpec, Invocation } from './command.ts';
import { conductRun } from './conduct.ts';
import { findProject } from './project.ts';
import { featureOf, featureOptions, textOfFile } from './prompt-input.ts';

/** A phase that writes one document and has it reviewed, as a command. */
export function phaseCommand(name: string, phase: DocumentPhase, file: string): CommandSpec {
  return {
    name,
    summary: `Write ${file}, have it reviewed and revised, complete the phase`,
    examples: [
      [`charrette feature ${name}`, 'for the active feature'],
      [
        `charrette feature ${name} --feature 007 --agents claude,codex`,
        'the first writes, the second reviews',
      ],
    ],
    options: [
      ...featureOptions,
      { flags: '--agents <list>', description: 'who writes and who reviews, comma-separated' },
      { flags: '--about <file>', description: 'what the feature is about, where there is no PRD' },
      {
        flags: '--transport <kind>',
        description: 'how the document travels to reviewers',
        choices: ['reference', 'inline'],
        default: 'reference',
      },
      {
        flags: '--gate <mode>',
        description: 'what holds a phase up',
        choices: ['strict', 'blockers-only'],
        default: 'strict',
      },
    ],
    run: (invocation) => runPhase(phase, invocation),
  };
}

async function runPhase(phase: DocumentPhase, invocation: Invocation): Promise<CommandResult> {
  const { options, global, terminal } = invocation;
  const feature = await readFeature(await featureOf(invocation));
  const skipped = enter(phase, feature, global.yes);
  const project = findProject(global.cwd);
  const { loadConfig } = await import('../config/config.ts');
  const { rosterOf } = await import('../workflows/roster.ts');
  const { promptContext } = await import('../context/for-prompt.ts');
  const world = thisWorld();
  const { config } = await loadConfig({ project, env: world.environment, file: global.config });
  const only =
    typeof options['agents'] === 'string'
      ? options['agents']
          .split(',')
          .map((id) => id.trim())
          .filter((id) => id !== '')
      : undefined;
  const roster = rosterOf(config, world, only);
  const [author, reviewer = author] = roster.map(({ id }) => id);
  if (author === undefined || reviewer === undefined) {
    throw new CharretteError({
      code: 'agent-not-found',
      message: 'No agent is there to write.',
      fix: 'Run `charrette doctor`.',
    });
  }
  const description = await textOfFile(options['about'], '--about', global);
  const brief = await promptContext({
    root: project,
    consumer: 'plan',
    task: description ?? feature.directory,
  });
  const inputs: FeaturePhaseInputs = {
    roster,
    project,
    parallel: 1,
    phase,
    directory: feature.directory,
    author,
    reviewer,
    transport: options['transport'] as 'reference',
    gate: options['gate'] as 'strict',
    skipped,
    agentSeconds: config.limits?.agentSeconds ?? 1_800,
    consented: global.yes || config.consent === true,
    ...(description === undefined ? {} : { description }),
    ...(brief.text === '' ? {} : { brief: brief.text }),
  };
  if (global.dryRun) {
    return {
      exit: 0,
      text: `${author} would write, ${reviewer} would review\n`,
      json: { dryRun: true, inputs },
    };
  }
  const home = homeOf(project);
  const title = `${phase} ${feature.directory.split(/[/\\]/).at(-1) ?? ''}`;
  const run = await createRun(
    home,
    { workflow: 'feature-phase', title, inputs },
    { clock: clockFrom(terminal.env), ids: idsFrom(terminal.env) },
  );
  return conductRun(home, run, invocation, new Map());
}

/** §2C: refuses what cannot start; what somebody has to agree to needs --yes. Gives the phases that are left out. */
function enter(phase: DocumentPhase, feature: FeatureFiles, agreed: boolean): FeaturePhaseInputs['skipped'] {
  const transition = transitionTo({ to: phase, meta: feature.meta.meta, texts: textsOf(feature) });
  if (transition.kind === 'blocked') {
    throw new CharretteError({
      code: 'artifact-missing',
      message: `${phase} cannot start: ${transition.reasons.join('; ')}.`,
      fix: 'Complete the phases before it, or mend the documents.',
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

function textsOf({ files }: FeatureFiles): Partial<Record<ArtifactKey, string>> {
  const texts: Partial<Record<ArtifactKey, string>> = {};
  for (const key of artifactKeys) {
    const file = files[key];
    if (file.kind === 'present' && file.text !== undefined) texts[key] = file.text;
  }
  return texts;
}
