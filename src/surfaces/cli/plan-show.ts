import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { unifiedDiff } from '../../base/text/diff.ts';
import { noPrefix } from '../../council/breadcrumbs.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { type ManifestReading, readManifest } from '../../plan/manifest.ts';
import { readPlan } from '../../plan/plan-text.ts';
import { driftOfPlan, driftSince } from '../../repo/git/drift.ts';
import { isOwnFile } from '../../repo/git/repository-facts.ts';
import type { CommandSpec } from '../../service/command.ts';
import { findPlan, type PlanSource } from '../../service/plans.ts';
import { findRun, projectOf } from '../../service/project.ts';
import type { DesignInputs } from '../../workflows/design/desk.ts';
import { enterRepository } from '../../workflows/design/step-1-branch.ts';
import { startCommand } from './conduct.ts';
import { acceptDegraded } from './options.ts';

export const show: CommandSpec = {
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
    // Our own configuration and records count as drift only when the plan names them.
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
      throw new CharretteError({
        code: 'not-found',
        message: 'This run has no plan from before the review.',
      });
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

export const edit: CommandSpec = {
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
    acceptDegraded,
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
    // Later changes belong to the user: the present tree counts.
    const entry = await enterRepository(project.project, { feature: earlier.feature, branch: false });
    const inputs: DesignInputs = {
      ...earlier,
      project: project.project,
      prefix: noPrefix,
      consented: global.yes || earlier.consented,
      branch: false,
      entry,
      baseCommit: entry.baseCommit,
      acceptDegraded: options['acceptDegraded'] === true || earlier.acceptDegraded === true,
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

/** L-800: calling programs read KEY=value lines from a pipe, with exit 0 in any case. As JSON and on a terminal a failure is an error. */
export const manifest: CommandSpec = {
  examples: [
    [
      'charrette plan manifest /tmp/caller',
      'KEY=value lines: MANIFEST_OK=true first, or MANIFEST_FAILED=true',
    ],
    ['charrette plan manifest /tmp/caller --json', 'as data'],
  ],
  arguments: [['<directory>', 'the directory of the file that --session-env named']],
  dryRun: 'reads',
  async run({ arguments: [given], global, terminal }) {
    const directory = path.resolve(global.cwd, given as string);
    const reading = await readManifest(directory);
    if (!reading.ok && (global.output !== 'text' || terminal.stdout.isTTY === true))
      throw new CharretteError({
        code: reading.error === 'manifest-not-found' ? 'not-found' : 'manifest-invalid',
        message: `The manifest of ${directory} cannot be used: ${reading.error}.`,
        fix: 'Run `charrette design --session-env FILE` again, with a file in that directory.',
      });
    return { exit: 0, text: `${linesOf(reading).join('\n')}\n`, json: reading };
  },
};

/** L-804, L-805 */
function linesOf(reading: ManifestReading): string[] {
  if (!reading.ok) return ['MANIFEST_FAILED=true', `ERROR=${reading.error}`];
  const { files, timestamp, sessionId } = reading;
  return [
    'MANIFEST_OK=true',
    ...Object.entries(files).map(([key, file]) => `${key}=${file}`),
    `TIMESTAMP=${timestamp}`,
    `SESSION_ID=${sessionId}`,
    `📥 1: design plan — manifest loaded (plan=${path.basename(files['PLAN_FILE'] ?? '')})`,
  ];
}
