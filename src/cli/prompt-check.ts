import path from 'node:path';
import { CharretteError } from '../errors.ts';
import { compilePrompt, type Transport } from '../prompts/compile.ts';
import { gradeConfirmation, lazyLoadWarning } from '../prompts/confirmation.ts';
import { expectedFiles } from '../prompts/describe.ts';
import { readFeature } from '../prompts/feature-files.ts';
import { readExcerpt } from '../prompts/read-excerpt.ts';
import { dispatchFor } from '../prompts/roles/table.ts';
import type { CommandResult, CommandSpec, Invocation } from './command.ts';
import { featureOf, featureOptions } from './prompt-input.ts';

export const promptCheckCommand: CommandSpec = {
  name: 'check',
  summary: 'Grade the read confirmation of an answer: missing, partial or full',
  examples: [
    [
      'charrette prompt check --feature docs/features/007-search --command specify --role spec-reviewer answer.md',
      'did it read what it had to?',
    ],
  ],
  arguments: [['<file>', 'the answer']],
  options: [
    ...featureOptions,
    { flags: '--command <name>', description: 'the command the answer belongs to' },
    { flags: '--role <name>', description: 'the role that answered' },
    {
      flags: '--transport <kind>',
      description: 'how the artifact under review travelled',
      choices: ['reference', 'inline'],
      default: 'reference',
    },
  ],
  run: runCheck,
};

async function runCheck(invocation: Invocation): Promise<CommandResult> {
  const { arguments: words, options, global } = invocation;
  const dispatch = dispatchFor(required(options, 'command'), required(options, 'role'));
  const feature = await readFeature(await featureOf(invocation));
  const answer = await readExcerpt(path.resolve(global.cwd, String(words[0])));
  const { expected } = compilePrompt({
    dispatch,
    files: feature.files,
    prd: feature.prd,
    transport: options['transport'] as Transport,
    iteration: { iteration: 1, max: 1 },
  });
  const files = expectedFiles({ ...feature, expected });
  const result = gradeConfirmation(answer, files);
  const agent = dispatch.agent ?? dispatch.role;
  const warning = files.length > 0 && result.grade === 'missing' ? lazyLoadWarning(agent) : undefined;
  const grade = files.length === 0 ? 'full' : result.grade;
  return {
    exit: 0,
    text: [
      `${grade}: ${files.length - result.missing.length} of ${files.length} files confirmed`,
      ...result.missing.map((name) => `  not confirmed: ${name}`),
      ...result.wrongLines.map(
        ({ name, expected: lines, stated }) => `  ${name}: ${stated} lines stated, it has ${lines}`,
      ),
      ...(warning === undefined ? [] : [warning]),
      '',
    ].join('\n'),
    json: { ...result, grade, expected: files, ...(warning === undefined ? {} : { warning }) },
  };
}

function required(options: Invocation['options'], name: string): string {
  const value = options[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new CharretteError({
    code: 'usage',
    message: `--${name} is missing.`,
    fix: 'Say which command and role the answer belongs to: --command specify --role spec-reviewer.',
  });
}
