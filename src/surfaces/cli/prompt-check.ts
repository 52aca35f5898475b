import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { compilePrompt, type Transport } from '../../prompts/compile.ts';
import { gradeConfirmation, lazyLoadWarning } from '../../prompts/confirmation.ts';
import { expectedFiles } from '../../prompts/describe.ts';
import { readFeature } from '../../prompts/feature-files.ts';
import { readExcerpt } from '../../prompts/read-excerpt.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { judgeAnswer } from '../../workflows/feature/rules/gate.ts';
import { readReviewAnswer } from '../../workflows/feature/rules/review-answer.ts';
import { featureOf, featureOptions } from './prompt-input.ts';

export const promptCheckCommand: CommandSpec = {
  name: 'check',
  summary: 'Grade the read confirmation of an answer (missing, partial, full) and its verdict',
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
  const review = dispatch.reads === 'review' ? reviewOf(answer) : undefined;
  const confirmed = files.length - result.missing.length - result.wrongLines.length;
  return {
    exit: grade === 'full' ? exitCodes.done : exitCodes.notAccepted,
    text: [
      `${grade}: ${confirmed} of ${files.length} files confirmed`,
      ...result.missing.map((name) => `  not confirmed: ${name}`),
      ...result.wrongLines.map(
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
