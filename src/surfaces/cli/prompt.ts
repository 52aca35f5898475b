import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import type { ArtifactKey } from '../../prompts/artifacts.ts';
import { compilePrompt, type Transport } from '../../prompts/compile.ts';
import { gradeConfirmation, lazyLoadWarning } from '../../prompts/confirmation.ts';
import { expectedFiles } from '../../prompts/describe.ts';
import { readFeature } from '../../prompts/feature-files.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { readExcerpt } from '../../prompts/task-prompt.ts';
import { type CommandResult, type CommandSpec, type Invocation, printNotice } from '../../service/command.ts';
import { textOfFile } from '../../service/named-file.ts';
import { projectOf } from '../../service/project.ts';
import { promptFor } from '../../service/prompts.ts';
import { judgeAnswer } from '../../workflows/feature/rules/gate.ts';
import { readReviewAnswer } from '../../workflows/feature/rules/review-answer.ts';
import { wholeNumber } from './options.ts';
import { artifactList, collect, featureName, featureOf, featureOptions } from './prompt-input.ts';

export const promptCommand: CommandSpec = {
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
      summary: 'Grade the read confirmation and the verdict of an answer',
      load: async () => promptCheckCommand,
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

export const promptCheckCommand: CommandSpec = {
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
      default: 'inline',
    },
  ],
  dryRun: 'reads',
  run: runCheck,
};

async function runCheck(invocation: Invocation): Promise<CommandResult> {
  const { arguments: words, options, global } = invocation;
  const dispatch = dispatchFor(required(options, 'command'), required(options, 'role'));
  const feature = await readFeature(await featureOf(invocation));
  const answer = await readExcerpt(path.resolve(global.cwd, String(words[0])));
  const filesOf = (transport: Transport) => {
    const { files, prd } = feature;
    const { expected } = compilePrompt({
      dispatch,
      files,
      prd,
      transport,
      iteration: { iteration: 1, max: 1 },
    });
    return expectedFiles({ ...feature, expected });
  };
  const files = filesOf(options['transport'] as Transport);
  // A file in the prompt itself need not be named, but claims about it must be true.
  const { wrongLines } = gradeConfirmation(answer, filesOf('reference'));
  const result = { ...gradeConfirmation(answer, files), wrongLines };
  const agent = dispatch.agent ?? dispatch.role;
  const warning = files.length > 0 && result.grade === 'missing' ? lazyLoadWarning(agent) : undefined;
  const stated = files.length === 0 || result.grade === 'full' ? 'full' : result.grade;
  const grade = stated === 'full' && wrongLines.length > 0 ? 'partial' : stated;
  const review = dispatch.reads === 'review' ? reviewOf(answer) : undefined;
  const isConfirmed = ({ name }: { name: string }) =>
    !result.missing.includes(name) && !wrongLines.some((wrong) => wrong.name === name);
  const confirmed = files.filter(isConfirmed).length;
  return {
    exit: grade === 'full' ? exitCodes.done : exitCodes.notAccepted,
    text: [
      `${grade}: ${confirmed} of ${files.length} files confirmed`,
      ...result.missing.map((name) => `  not confirmed: ${name}`),
      ...wrongLines.map(
        ({ name, expected: lines, stated }) => `  ${name}: ${stated} lines stated, it has ${lines}`,
      ),
      ...(warning === undefined ? [] : [warning]),
      ...(review === undefined ? [] : [review.line]),
      '',
    ].join('\n'),
    json: {
      ...result,
      grade,
      confirmed: grade === 'full',
      expected: files,
      ...(warning === undefined ? {} : { warning }),
      ...(review === undefined ? {} : { review: review.json }),
    },
  };
}

/** The verdict of the answer and of the strict gate, which does not depend on the confirmation. */
function reviewOf(answer: string): { line: string; json: object } {
  const reading = readReviewAnswer(answer);
  if (!reading.ok)
    return { line: `verdict: unreadable, ${reading.problem}`, json: { problem: reading.problem } };
  const { reviewer, gate, reason, open } = judgeAnswer(reading.answer);
  return {
    line: `verdict: ${reviewer}; gate: ${gate} (${reason})`,
    json: { reviewer, gate, reason, issues: reading.answer.issues, open: open.length },
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
