import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { unifiedDiff } from '../../base/text/diff.ts';
import { readPlan } from '../../plan/plan-text.ts';
import { driftOfPlan, driftSince } from '../../repo/git/drift.ts';
import { isOwnFile } from '../../repo/git/repository-facts.ts';
import type { CommandSpec } from '../../service/command.ts';
import { findPlan, type PlanSource } from '../../service/plans.ts';
import { projectOf } from '../../service/project.ts';

export const show: CommandSpec = {
  name: 'show',
  summary: 'Print a plan',
  examples: [
    ['charrette plan show', 'the plan of the latest run'],
    ['charrette plan show plans/limits', 'a lite plan with its tasks'],
    ['charrette plan show --json', 'as data'],
  ],
  arguments: [['[plan]', 'a plan file, a folder with a plan, a run id or latest']],
  dryRun: 'reads',
  async run(invocation) {
    const {
      arguments: [name],
    } = invocation;
    const source = await findPlan(projectOf(invocation), name as string | undefined);
    return {
      exit: 0,
      text: source.text,
      json: { file: source.file, baseCommit: baseOf(source), ...dataOf(source) },
    };
  },
};

export const drift: CommandSpec = {
  name: 'drift',
  summary: 'What changed in the repository since a plan was made',
  examples: [
    ['charrette plan drift', 'the plan of the latest run; exit 8 when files it touches have changed'],
  ],
  arguments: [['[plan]', 'run id or latest; or a lite plan by file or folder']],
  dryRun: 'reads',
  async run(invocation) {
    const {
      arguments: [name],
    } = invocation;
    const source = await findPlan(projectOf(invocation), name as string | undefined);
    const baseCommit = baseOf(source);
    if (baseCommit === undefined) {
      throw new CharretteError({
        code: 'not-found',
        message: 'The plan has no base commit.',
        fix: 'Name a run, or a lite plan whose _metadata has a base_commit.',
      });
    }
    const all = await driftSince(projectOf(invocation).project, baseCommit);
    const touched = driftOfPlan(all, pathsOf(source));
    // Our own configuration and records are no drift, unless the plan is about them.
    const found = {
      ...all,
      files: all.files.filter((file) => touched.includes(file) || !isOwnFile(file.path)),
    };
    const drifted = touched.length > 0 || found.relation === 'diverged' || found.relation === 'lost';
    const lines = [
      `${found.relation}: ${found.commits} commits since ${baseCommit.slice(0, 12)}, ${found.files.length} files differ`,
      ...touched.map(({ path: file, change }) => `  ${change} ${file} (in the plan)`),
    ];
    return {
      exit: drifted ? exitCodes.drift : exitCodes.done,
      json: { run: source.record?.run, file: source.file, baseCommit, ...found, touched },
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
    ['[before]', 'a plan file, a folder with a plan, a run id or latest'],
    ['[after]', 'a plan file, a folder with a plan or a run id'],
  ],
  dryRun: 'reads',
  async run(invocation) {
    const {
      arguments: [before, after],
    } = invocation;
    const project = projectOf(invocation);
    const second = await findPlan(project, (after ?? before) as string | undefined);
    const first =
      after === undefined
        ? await readTextFile(path.join(path.dirname(second.file), 'plan-before-review.txt'))
        : (await findPlan(project, before as string)).text;
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

/** The commit that a plan was made on. */
const baseOf = ({ lite, record }: PlanSource) => lite?.plan._metadata.base_commit ?? record?.baseCommit;

function pathsOf({ lite, text }: PlanSource): string[] {
  if (lite !== undefined) return lite.tasks.flatMap(({ files = [] }) => files.map((file) => file.path));
  const reading = readPlan(text);
  return reading.ok ? reading.plan.files.map((file) => file.path) : [];
}

function dataOf({ lite, text }: PlanSource): Record<string, unknown> {
  if (lite !== undefined) return lite;
  const reading = readPlan(text);
  return reading.ok ? { plan: reading.plan } : { problems: reading.problems };
}
