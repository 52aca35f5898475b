import path from 'node:path';
import { readRunRecord } from '../engine/run-record.ts';
import { exitCodes } from '../error-table.ts';
import { CharretteError } from '../errors.ts';
import { readTextFile } from '../files/bounded.ts';
import { driftOfPlan, driftSince } from '../git/drift.ts';
import { readPlan } from '../plan/plan-text.ts';
import { unifiedDiff } from '../text/diff.ts';
import type { CommandSpec } from './command.ts';
import { findPlan } from './plan-source.ts';
import { findHome, findProject, findRun } from './project.ts';

export const show: CommandSpec = {
  name: 'show',
  summary: 'Print a plan',
  examples: [
    ['charrette plan show', 'the plan of the latest run'],
    ['charrette plan show --json', 'as data'],
  ],
  arguments: [['[plan]', 'a plan file, a run id or latest']],
  dryRun: 'reads',
  async run({ arguments: [name], global }) {
    const source = await findPlan(global.cwd, name as string | undefined);
    const reading = readPlan(source.text);
    const plan = reading.ok ? { plan: reading.plan } : { problems: reading.problems };
    return {
      exit: 0,
      text: source.text,
      json: { file: source.file, baseCommit: source.record?.baseCommit, ...plan },
    };
  },
};

export const drift: CommandSpec = {
  name: 'drift',
  summary: 'What changed in the repository since a plan was made',
  examples: [
    ['charrette plan drift', 'the plan of the latest run; exit 8 when files it touches have changed'],
  ],
  arguments: [['[run]', 'run id or latest']],
  dryRun: 'reads',
  async run({ arguments: [name], global }) {
    const directory = await findRun(findHome(global.cwd), name as string | undefined);
    const { baseCommit } = await readRunRecord(directory);
    if (baseCommit === undefined)
      throw new CharretteError({ code: 'not-found', message: 'The run has no base commit.' });
    const source = await findPlan(global.cwd, directory.id);
    const reading = readPlan(source.text);
    const found = await driftSince(findProject(global.cwd), baseCommit);
    const touched = driftOfPlan(found, reading.ok ? reading.plan.files.map((file) => file.path) : []);
    const drifted = touched.length > 0 || found.relation === 'diverged' || found.relation === 'lost';
    const lines = [
      `${found.relation}: ${found.commits} commits since ${baseCommit.slice(0, 12)}, ${found.files.length} files differ`,
      ...touched.map(({ path: file, change }) => `  ${change} ${file} (in the plan)`),
    ];
    return {
      exit: drifted ? exitCodes.drift : exitCodes.done,
      json: { run: directory.id, baseCommit, ...found, touched },
      text: `${lines.join('\n')}\n`,
    };
  },
};

export const diff: CommandSpec = {
  name: 'diff',
  summary: 'Compare two plans; with one run, its plan before and after review',
  examples: [
    ['charrette plan diff', 'how review changed the plan of the latest run'],
    ['charrette plan diff 4f2a90c1 91bc2e07', 'the plans of two runs'],
  ],
  arguments: [
    ['[before]', 'a plan file, a run id or latest'],
    ['[after]', 'a plan file or a run id'],
  ],
  dryRun: 'reads',
  async run({ arguments: [before, after], global }) {
    const second = await findPlan(global.cwd, (after ?? before) as string | undefined);
    const first =
      after === undefined
        ? await readTextFile(path.join(path.dirname(second.file), 'plan-before-review.txt'))
        : (await findPlan(global.cwd, before as string)).text;
    if (first === undefined)
      throw new CharretteError({ code: 'not-found', message: 'There is no plan from before the review.' });
    const result = unifiedDiff(first, second.text, { before: 'before', after: 'after' });
    const texts = {
      same: 'The plans are the same.\n',
      'too-large': 'The plans differ too much for a diff.\n',
    };
    return { exit: 0, text: result.kind === 'diff' ? result.text : texts[result.kind], json: result };
  },
};
