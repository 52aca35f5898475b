import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isMissing, readTextFile } from '../../base/files/bounded.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import {
  type CommandResult,
  type CommandSpec,
  type Invocation,
  type OptionSpec,
  printNotice,
} from '../../service/command.ts';
import { textOfFile } from '../../service/named-file.ts';
import { findRun, projectOf } from '../../service/project.ts';
import type {
  DocumentPhase,
  FeatureImplementInputs,
  FeatureInputs,
  FeaturePhaseInputs,
} from '../../workflows/feature/inputs.ts';
import { prepareFeature, reviewOptions, startFeatureRun, textsOf } from './feature-run.ts';
import { wholeNumber } from './options.ts';

export const panelOptions: readonly OptionSpec[] = [
  { flags: '--panel', description: 'have the design panel argue the feature first' },
  { flags: '--from-panel <run>', description: 'use the result of a design run' },
];

/** Flags that only one phase has. */
const ownOptions: Readonly<Partial<Record<DocumentPhase, readonly OptionSpec[]>>> = {
  design: [...panelOptions, { flags: '--no-research', description: 'no researchers before the design' }],
  plan: [{ flags: '--combined', description: 'plan and tasks in one loop: plan, task and phase reviewer' }],
};

/** A phase that writes one document and has it reviewed, as a command. */
export function phaseCommand(name: string, phase: DocumentPhase): CommandSpec {
  return {
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
      { flags: '--about <file>', description: 'describe the feature if it has no PRD' },
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

export const featureImplementCommand: CommandSpec = {
  examples: [
    ['charrette feature implement', 'the active feature, on a branch of the run'],
    ['charrette feature implement --agents claude,codex', 'the first implements, the second reviews'],
    ['charrette feature implement --review-only', 'reviews what implementation-log.md names'],
  ],
  options: [
    ...reviewOptions,
    {
      flags: '--parallel <n>',
      description: 'tasks at the same time, where they say that they may',
      parse: wholeNumber('--parallel', 1, 16),
      default: 1,
    },
    { flags: '--review-only', description: 'implement no task; review the files in the implementation log' },
    { flags: '--no-simplify', description: 'skip the search for simplifications' },
    { flags: '--no-tests', description: 'no tests are outlined from the specification' },
    { flags: '--no-merge', description: 'leave a good result on its branch' },
  ],
  dryRun: 'says',
  run: runImplement,
};

async function runImplement(invocation: Invocation): Promise<CommandResult> {
  const { options, global } = invocation;
  const { inputs: common } = await prepareFeature('implement', invocation);
  refuseStatic(common);
  const inputs: FeatureImplementInputs = {
    ...common,
    autonomous: global.yes,
    reviewOnly: options['reviewOnly'] === true,
    tasksAtOnce: Number(options['parallel']),
    simplify: options['simplify'] !== false,
    deepen: options['tests'] !== false,
    merge: options['merge'] !== false,
  };
  if (global.dryRun) {
    const { author, reviewer } = inputs;
    return {
      exit: 0,
      text: `${author} would implement, ${reviewer} would review\n`,
      json: { dryRun: true, inputs },
    };
  }
  return startFeatureRun('feature-implement', inputs, invocation);
}

/** What a panel leaves that helps to write a design, most telling first. */
const material = ['approach-synthesis.txt', 'dialectic-resolutions.md', 'plan.txt'] as const;
const mostCharacters = 36_000;

export type PanelMaterial = { run: string; text: string };

/** §2B: the result of a design panel. One that paused or failed stops here; resume its run, then name it with --from-panel. */
export async function panelMaterial(
  feature: FeatureFiles,
  project: string,
  invocation: Invocation,
): Promise<PanelMaterial | { stopped: CommandResult } | undefined> {
  const { options, global } = invocation;
  const named = options['fromPanel'];
  if (typeof named === 'string') return materialOf((await findRun(projectOf(invocation), named)).id, project);
  if (options['panel'] !== true || global.dryRun) return undefined;
  const { command } = await import('./design.ts');
  const agents = options['agents'];
  const result = await command.run?.({
    ...invocation,
    arguments: [[subjectOf(feature)]],
    options: { auto: true, branch: false, ...(typeof agents === 'string' ? { agents } : {}) },
  });
  const run = (result?.json as { run?: string } | undefined)?.run;
  if (result === undefined || run === undefined) throw noPanel('it gave no run');
  if (result.exit !== 0 && result.exit !== 6) {
    invocation.terminal.stderr.write(
      `The panel did not end. When it has: charrette feature design --from-panel ${run}\n`,
    );
    return { stopped: result };
  }
  return materialOf(run, project);
}

async function materialOf(run: string, project: string): Promise<PanelMaterial> {
  const { runDirectoryOf, homeOf } = await import('../../engine/run-directory.ts');
  const directory = runDirectoryOf(homeOf(project), run);
  const { workflow } = await readRunRecord(directory);
  if (workflow !== 'design') throw noPanel(`${run} is a run of ${workflow}`);
  const texts: string[] = [];
  for (const name of material) {
    const text = await readFile(path.join(directory.artifacts, name), 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return '';
      throw error;
    });
    if (text.trim() !== '') texts.push(`${name}:\n${text.trim()}`);
  }
  if (texts.length === 0) throw noPanel(`${run} has no synthesis and no plan yet`);
  const share = Math.floor(mostCharacters / texts.length);
  const cut = texts.map((text) =>
    text.length <= share ? text : `${text.slice(0, share).toWellFormed()}\n[cut at ${share} characters]`,
  );
  return { run, text: cut.join('\n\n') };
}

function subjectOf({ files: { spec }, directory }: FeatureFiles): string {
  const text = spec.kind === 'present' ? (spec.text ?? '') : '';
  return text.trim() === '' ? path.basename(directory) : text.slice(0, 12_000).toWellFormed();
}

function noPanel(reason: string): CharretteError {
  return new CharretteError({
    code: 'not-found',
    message: `No design panel can be used: ${reason}.`,
    fix: 'Name a run of `charrette design` with --from-panel, or leave it out.',
  });
}
