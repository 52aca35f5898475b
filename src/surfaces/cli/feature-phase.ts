import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import type { CommandResult, CommandSpec, Invocation, OptionSpec } from '../../service/command.ts';
import { printNotice } from '../../service/command.ts';
import { textOfFile } from '../../service/named-file.ts';
import type { DocumentPhase, FeatureInputs, FeaturePhaseInputs } from '../../workflows/feature/inputs.ts';
import { panelMaterial, panelOptions } from './feature-panel.ts';
import { prepareFeature, reviewOptions, startFeatureRun, textsOf } from './feature-run.ts';

/** Flags that only one phase has. */
const ownOptions: Readonly<Partial<Record<DocumentPhase, readonly OptionSpec[]>>> = {
  design: [...panelOptions, { flags: '--no-research', description: 'no researchers before the design' }],
  plan: [{ flags: '--combined', description: 'plan and tasks in one loop: plan, task and phase reviewer' }],
};

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
      ...(phase === 'design'
        ? ([['charrette feature design --panel', 'a design panel first, its result as material']] as const)
        : []),
    ],
    options: [
      ...reviewOptions,
      { flags: '--about <file>', description: 'what the feature is about, where there is no PRD' },
      { flags: '--commit', description: 'commit every revision and the completed phase' },
      ...(ownOptions[phase] ?? []),
    ],
    dryRun: 'says',
    run: (invocation) => runPhase(phase, invocation),
  };
}

async function runPhase(phase: DocumentPhase, invocation: Invocation): Promise<CommandResult> {
  const { options, global, terminal } = invocation;
  const { feature, project, inputs: common } = await prepareFeature(phase, invocation);
  const { contextWarnings, promptContext } = await import('../../prompts/context/for-prompt.ts');
  const description = await textOfFile(options['about'], '--about', invocation);
  const { spec = '' } = textsOf(feature);
  const prd = 'path' in feature.prd ? await readTextFile(feature.prd.path).catch(() => '') : '';
  const brief = await promptContext({
    root: project,
    consumer: 'plan',
    // P-020: what the feature is about, not where it lies.
    task: [path.basename(feature.directory), description ?? '', prd ?? '', spec].join('\n'),
    home: terminal.env['HOME'],
  });
  for (const warning of contextWarnings([brief])) printNotice(terminal, `warning: ${warning}`);
  refuseStatic(common);
  if (options['commit'] === true)
    await (await import('../../repo/git/repository-facts.ts')).repositoryFacts(project);
  const panel = phase === 'design' ? await panelMaterial(feature, project, invocation) : undefined;
  if (panel !== undefined && 'stopped' in panel) return panel.stopped;
  const inputs: FeaturePhaseInputs = {
    ...common,
    research: options['research'] !== false,
    combined: options['combined'] === true,
    commit: options['commit'] === true,
    ...(description === undefined ? {} : { description }),
    ...(brief.text === '' ? {} : { brief: brief.text }),
    ...(panel === undefined ? {} : { panel }),
  };
  if (global.dryRun) {
    const { author, reviewer } = inputs;
    return {
      exit: 0,
      text: `${author} would write, ${reviewer} would review\n`,
      json: { dryRun: true, inputs },
    };
  }
  return startFeatureRun('feature-phase', inputs, invocation);
}

/** The static agent knows no documents of features; saying so beats a failed run. */
export function refuseStatic({ roster, author, reviewer }: FeatureInputs): void {
  const named = roster.filter(({ id }) => id === author || id === reviewer);
  if (!named.some(({ protocol }) => protocol === 'static')) return;
  throw new CharretteError({
    code: 'agent-not-found',
    message: 'A feature needs an agent with a model; the static agent cannot write or review its documents.',
    fix: 'Install or declare one (`charrette doctor`), or name it with --agents.',
  });
}
