import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, isInside } from '../../base/files/contained.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { textOfFile } from '../../service/named-file.ts';
import { findProject, projectOf } from '../../service/project.ts';
import { featuresRoot } from '../../service/prompts.ts';
import { createFeature } from '../../workflows/feature/rules/create.ts';
import { rootOption } from './prompt-input.ts';

export const featureNewCommand: CommandSpec = {
  name: 'new',
  summary: 'Make the directory and state of a feature',
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
