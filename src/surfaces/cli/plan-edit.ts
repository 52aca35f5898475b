import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { noPrefix } from '../../council/breadcrumbs.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { readPlan } from '../../plan/plan-text.ts';
import type { CommandSpec } from '../../service/command.ts';
import { findPlan } from '../../service/plans.ts';
import { findRun, projectOf } from '../../service/project.ts';
import { enterRepository } from '../../workflows/design/entry.ts';
import type { DesignInputs } from '../../workflows/design/inputs.ts';
import { startCommand } from './conduct.ts';

export const edit: CommandSpec = {
  name: 'edit',
  summary: 'Change or comment the plan of a run; it is checked and reviewed again as a new run',
  examples: [
    ['charrette plan edit latest --file plan.txt', 'review your own version of the plan'],
    [
      'charrette plan edit latest --comment "keep the old endpoint"',
      'have the author work in a comment first',
    ],
  ],
  arguments: [['<run>', 'run id or latest']],
  options: [
    { flags: '--file <file>', description: 'your version of the plan' },
    { flags: '--comment <text>', description: 'what the author should change' },
  ],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, options, global } = invocation;
    const project = projectOf(invocation);
    const directory = await findRun(project, words[0] as string);
    const record = await readRunRecord(directory);
    const comment = options['comment'] as string | undefined;
    const file = typeof options['file'] === 'string' ? path.resolve(global.cwd, options['file']) : undefined;
    if (comment === undefined && file === undefined) {
      throw new CharretteError({ code: 'usage', message: '`plan edit` needs --file or --comment.' });
    }
    if (record.workflow !== 'design' && record.workflow !== 'design-review') {
      throw new CharretteError({
        code: 'usage',
        message: `The run ${directory.id} is of the workflow ${record.workflow}, which has no plan to review.`,
      });
    }
    const text = file === undefined ? (await findPlan(project, directory.id)).text : await readTextFile(file);
    if (text === undefined)
      throw new CharretteError({ code: 'not-found', message: `The plan file ${file} does not exist.` });
    const reading = readPlan(text);
    if (!reading.ok) {
      throw new CharretteError({
        code: 'plan-invalid',
        message: `The plan cannot be read: ${reading.problems.slice(0, 5).join('; ')}.`,
        fix: 'Keep the five sections and one line per file; `charrette plan show` prints the form.',
      });
    }
    // A caller, its numbering and the place for copies belong to the earlier run, which has delivered.
    const { caller, out, fromStep, ...earlier } = record.inputs as DesignInputs;
    // What was done since is the person's own: the tree is taken as it is now.
    const entry = await enterRepository(project.project, { feature: earlier.feature, branch: false });
    const inputs: DesignInputs = {
      ...earlier,
      project: project.project,
      prefix: noPrefix,
      consented: global.yes || earlier.consented,
      branch: false,
      entry,
      baseCommit: entry.baseCommit,
      edited: { plan: reading.plan, ...(comment === undefined ? {} : { comment }) },
      fromRun: directory.id,
    };
    if (global.dryRun) {
      const first = comment === undefined ? 'check and' : 'have the author work in the comment, check and';
      return {
        exit: 0,
        json: { dryRun: true, fromRun: directory.id, plan: reading.plan },
        text: `Would ${first} review the plan of ${directory.id} as a new run.\n`,
      };
    }
    const run = { workflow: 'design-review', title: record.title, inputs, baseCommit: entry.baseCommit };
    return startCommand(invocation, run);
  },
};
