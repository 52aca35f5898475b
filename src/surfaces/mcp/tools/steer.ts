import { z } from 'zod';
import { command as cancelCommand } from '../../cli/cancel.ts';
import { findHome, findRun } from '../../cli/project.ts';
import { answerRun, goOn } from '../answer-run.ts';
import { callCommand } from '../call-command.ts';
import { runStateOf, runStateShape } from '../run-state.ts';
import { defineTool } from '../tool.ts';
import { runInput } from './runs.ts';

const state = z.object(runStateShape);

export const runAnswer = defineTool({
  name: 'run_answer',
  title: 'Answer questions of a run',
  description:
    'Hands over the answers of the person to open questions; a paused run goes on by itself. Never decide consent or ' +
    'money for the person: ask first.',
  input: z.object({
    run: runInput,
    answers: z
      .array(
        z.object({
          question: z
            .string()
            .regex(/^[^=]{1,200}$/, 'takes up to 200 characters without =')
            .describe('Id of the question.'),
          value: z.string().max(20_000).describe('One of its options, or free text where it has none.'),
        }),
      )
      .min(1)
      .max(50),
    resume: z.boolean().default(true).describe('false: only leave the answers.'),
  }),
  output: state,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async call({ run, answers, resume }, call) {
    const directory = await findRun(findHome(call.context.cwd), run);
    return answerRun(directory, answers, call, resume);
  },
});

export const runResume = defineTool({
  name: 'run_resume',
  title: 'Resume a run',
  description:
    'Goes on with a run that paused, stopped, failed or was killed. Finished work is not done again. Answers at once.',
  input: z.object({ run: runInput }),
  output: state,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async call({ run }, call) {
    return goOn(await findRun(findHome(call.context.cwd), run), call);
  },
});

export const runCancel = defineTool({
  name: 'run_cancel',
  title: 'Cancel a run',
  description: 'Ends a run for good, also one of another process; what it wrote stays.',
  input: z.object({ run: runInput }),
  output: state,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async call({ run }, call) {
    const directory = await findRun(findHome(call.context.cwd), run);
    await callCommand(cancelCommand, { arguments: [directory.id], options: {} }, call);
    return runStateOf(directory);
  },
});
