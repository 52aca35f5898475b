import type { ArtifactKey } from '../../prompts/artifacts.ts';
import type { Transport } from '../../prompts/compile.ts';
import { type CommandResult, type CommandSpec, type Invocation, printNotice } from '../../service/command.ts';
import { textOfFile } from '../../service/named-file.ts';
import { projectOf } from '../../service/project.ts';
import { promptFor } from '../../service/prompts.ts';
import { wholeNumber } from './number-flag.ts';
import { artifactList, collect, featureName, featureOptions } from './prompt-input.ts';

export const promptCommand: CommandSpec = {
  name: 'prompt',
  summary: 'Print the prompt that a role of a command gets',
  examples: [
    ['charrette prompt specify spec-reviewer --feature docs/features/007-search', 'the reviewer of spec.md'],
    ['charrette prompt implement security-reviewer --files src/a.ts,src/b.ts', 'for the active feature'],
    ['charrette prompt implementing implementer --task 2.1', 'one task, with its parts of plan and design'],
    ['charrette prompt design design-reviewer --json', 'with artifacts, characters, tokens'],
  ],
  arguments: [
    ['<command>', 'specify, design, plan, tasks, implement, implementing or brainstorm'],
    ['<role>', 'a role of that command'],
  ],
  options: [
    ...featureOptions,
    {
      flags: '--iteration <n>',
      description: 'which round',
      parse: wholeNumber('--iteration', 1, 99),
      default: 1,
    },
    { flags: '--max <n>', description: 'most rounds', parse: wholeNumber('--max', 1, 99), default: 5 },
    {
      flags: '--transport <kind>',
      description: 'how the artifact under review travels',
      choices: ['reference', 'inline'],
      default: 'inline',
    },
    { flags: '--task <number>', description: 'the task, for the implementer of one task' },
    { flags: '--files <paths>', description: 'changed files, or files to work on', parse: collect },
    { flags: '--issues <file>', description: 'issues of the round before, or issues to fix' },
    { flags: '--outlines <file>', description: 'test outlines, for test-deepener-b' },
    { flags: '--artifacts <list>', description: 'what the role must read instead', parse: artifactList },
  ],
  subcommands: {
    check: {
      summary: 'Grade the read confirmation of an answer',
      load: async () => (await import('./prompt-check.ts')).promptCheckCommand,
    },
  },
  dryRun: 'reads',
  run: runPrompt,
};

async function runPrompt(invocation: Invocation): Promise<CommandResult> {
  const { arguments: words, options, global, terminal } = invocation;
  const [issues, outlines] = await Promise.all([
    textOfFile(options['issues'], '--issues', invocation),
    textOfFile(options['outlines'], '--outlines', invocation),
  ]);
  const { text, warnings, describe } = await promptFor(projectOf(invocation), {
    ...featureName(invocation),
    command: String(words[0]),
    role: String(words[1]),
    iteration: Number(options['iteration']),
    max: Number(options['max']),
    transport: options['transport'] as Transport,
    task: options['task'] as string | undefined,
    files: (options['files'] as string[] | undefined) ?? [],
    issues,
    outlines,
    artifacts: options['artifacts'] as ArtifactKey[] | undefined,
  });
  if (!global.quiet) for (const warning of warnings) printNotice(terminal, `warning: ${warning}`);
  return global.output === 'text' ? { exit: 0, text } : { exit: 0, json: await describe() };
}
