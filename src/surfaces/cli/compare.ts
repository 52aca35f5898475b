import path from 'node:path';
import { thisWorld } from '../../agents/settings.ts';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { parseJson } from '../../base/safe-json.ts';
import { counted } from '../../base/text/strings.ts';
import { runDirectoryOf } from '../../engine/run-directory.ts';
import type { CommandSpec } from '../../service/command.ts';
import { printNotice } from '../../service/command.ts';
import { projectOf } from '../../service/project.ts';
import { makeRun } from '../../service/start.ts';
import type { ComparisonFile } from '../../workflows/compare/comparison.ts';
import { type CompareFlags, prepareCompare } from '../../workflows/compare/prepare.ts';
import { readTasks } from '../../workflows/compare/task-file.ts';
import { describeEstimate } from '../../workflows/design/depth.ts';
import { givenAnswers } from './ask.ts';
import { conductRun } from './conduct.ts';
import { acceptDegraded, positive } from './options.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette compare --tasks tasks.md', 'every item of the list, with the agents of this project'],
    ['charrette compare --tasks tasks.json --depth quick --max-usd 20', 'a smaller panel, a limit on money'],
    ['charrette compare --tasks tasks.md --dry-run', 'what it would take'],
  ],
  options: [
    { flags: '--tasks <file>', description: 'features: one per line, a Markdown list, or JSON' },
    {
      flags: '--depth <depth>',
      description: 'how deep the panel goes',
      choices: ['quick', 'regular', 'wide'],
      default: 'regular',
    },
    { flags: '--agents <list>', description: 'agents by name, comma-separated, in order of preference' },
    { flags: '--author <agent>', description: 'who works alone, and writes for the panel' },
    {
      flags: '--max-tokens <count>',
      description: 'pause and ask between tasks when this many tokens are used',
      parse: positive('--max-tokens'),
    },
    {
      flags: '--max-usd <amount>',
      description: 'pause and ask between tasks when this much is spent',
      parse: positive('--max-usd'),
    },
    acceptDegraded,
    { flags: '--answers <file>', description: 'a JSON object of question → answer' },
  ],
  dryRun: 'says',
  async run(invocation) {
    const { options, global, terminal } = invocation;
    const tasks = await readTaskFile(options['tasks'], global.cwd);
    const given = await givenAnswers(invocation);
    const project = projectOf(invocation);
    const { inputs, warnings } = await prepareCompare({
      tasks,
      project: project.project,
      cwd: global.cwd,
      flags: options as CompareFlags,
      world: thisWorld(),
      configFile: global.config,
      consented: global.yes,
    });
    if (!global.quiet) for (const warning of warnings) printNotice(terminal, warning);
    if (global.dryRun) {
      const { estimate } = inputs;
      const text = `Would design ${counted(tasks.length, 'task')} alone and with the ${inputs.depth} panel. ${describeEstimate(estimate)}\n`;
      return { exit: 0, json: { dryRun: true, tasks, estimate }, text };
    }
    const run = await makeRun(project, {
      workflow: 'compare',
      title: `compare ${counted(tasks.length, 'task')}`,
      inputs,
      baseCommit: inputs.baseCommit,
    });
    const result = await conductRun(project, run, invocation, given);
    const file = path.join(runDirectoryOf(project, run).artifacts, 'comparison.json');
    const text = await readTextFile(file);
    if (text === undefined) return result;
    const comparison = parseJson(text, file) as unknown as ComparisonFile;
    return { ...result, json: { ...(result.json as object), cost: comparison.totals, comparison } };
  },
};

async function readTaskFile(name: unknown, cwd: string) {
  if (typeof name !== 'string') {
    throw new CharretteError({
      code: 'usage',
      message: '`compare` needs --tasks with a file of features.',
      fix: 'Write one feature per line and name the file: `charrette compare --tasks tasks.md`.',
    });
  }
  const file = path.resolve(cwd, name);
  const text = await readTextFile(file, 4 * 1024 * 1024);
  if (text === undefined)
    throw new CharretteError({ code: 'not-found', message: `The file of tasks ${file} does not exist.` });
  return readTasks(text, name);
}
