import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { firstLine } from '../../plan/tasks/plan-files.ts';
import type { CommandSpec } from '../../service/command.ts';
import { liteInputs, liteOptions, startLiteRun } from './lite-common.ts';

export const command: CommandSpec = {
  name: 'lite-plan',
  summary: 'Explore, clarify, plan, confirm and carry out one task',
  examples: [
    ['charrette lite-plan "add rate limiting to the API"', 'with questions, then the plan'],
    ['charrette lite-plan -y "fix the date parser"', 'asks nothing'],
    ['charrette lite-plan task.md --explore', 'the task from a file, always with exploration'],
    ['charrette lite-plan --agents static "let customers cancel an order"', 'no model at all'],
  ],
  arguments: [['<task...>', 'what to do, in your words, or a .md file that says it']],
  options: [
    { flags: '-e, --explore', description: 'look through the repository in any case' },
    { flags: '--force-explore', description: 'the same' },
    { flags: '--plan-only', description: 'stop when the plan is allowed' },
    ...liteOptions,
  ],
  dryRun: 'says',
  async run(invocation) {
    const { global } = invocation;
    const text = await taskText(global.cwd, (invocation.arguments[0] as string[]).join(' ').trim());
    if (text.trim() === '') {
      throw new CharretteError({
        code: 'usage',
        message: 'The task is empty.',
        fix: 'Say what to do: `charrette lite-plan "…"`.',
      });
    }
    const inputs = await liteInputs('plan', text, invocation);
    if (global.dryRun) {
      const agents = inputs.roster.map(({ id }) => id).join(', ');
      return { exit: 0, json: { dryRun: true, inputs }, text: `Would plan with ${agents}.\n` };
    }
    return startLiteRun(inputs, firstLine(text), invocation);
  },
};

/** P-037: a task may stand in a file. */
async function taskText(cwd: string, text: string): Promise<string> {
  if (/\s/.test(text) || !/\.md$/i.test(text)) return text;
  const content = await readTextFile(path.resolve(cwd, text), 1_000_000);
  if (content !== undefined) return content;
  throw new CharretteError({ code: 'not-found', message: `The task file ${text} does not exist.` });
}
