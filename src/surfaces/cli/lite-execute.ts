import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { readJson } from '../../base/safe-json.ts';
import { readJudgement } from '../../base/schema/judgements.ts';
import { executionContextSchema } from '../../base/schema/lite/session-files.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { type ForeignPlan, readTaskFile } from '../../plan/exchange/foreign-plan.ts';
import { filesFromDraft } from '../../plan/exchange/outline.ts';
import { filesFromDesign } from '../../plan/tasks/design-tasks.ts';
import { handoffToken } from '../../plan/tasks/handoff-spec.ts';
import {
  directPlan,
  firstLine,
  type LitePlanFiles,
  type PlanFacts,
  readLiteFolder,
  readTaskTexts,
} from '../../plan/tasks/plan-files.ts';
import {
  checkQuality,
  looksLikeFile,
  notAPlan,
  type PlanInput,
  planInvalid,
  readableEnding,
  recognisePlan,
} from '../../plan/tasks/read-plan.ts';
import { breakCycles, type DroppedDependency } from '../../plan/tasks/schedule.ts';
import type { CommandSpec } from '../../service/command.ts';
import { printNotice } from '../../service/command.ts';
import { readDesign } from '../../service/plans.ts';
import { findRun, type Project, projectOf } from '../../service/project.ts';
import type { LiteInputs } from '../../workflows/build/inputs.ts';
import { assessComplexity } from '../../workflows/build/rules/explore-decision.ts';
import { liteInputs, liteOptions, refuseReviewer, startLiteRun } from './lite-plan.ts';

export const command: CommandSpec = {
  name: 'lite-execute',
  summary: 'Carry out a plan, a file or a prompt; test and review the result',
  examples: [
    ['charrette lite-execute --run latest', 'the plan of a lite-plan or design run'],
    ['charrette lite-execute plans/plan.json', 'a plan with its .task folder beside it'],
    ['charrette lite-execute TODO.md', 'the open boxes of a task list, one task each'],
    ['charrette lite-execute "rename the logger" --executor codex --review claude', 'a prompt as one task'],
  ],
  arguments: [['[task...]', 'a prompt, a folder with plan.json, or a .json, .md or .txt file']],
  options: [
    { flags: '--run <run>', description: 'the plan of a finished run' },
    { flags: '--force-cycles', description: 'carry out tasks that go in a circle, in the order of the plan' },
    ...liteOptions,
  ],
  dryRun: 'says',
  async run(invocation) {
    const { options, global, terminal } = invocation;
    const words = (invocation.arguments[0] as string[] | undefined) ?? [];
    const run = options['run'];
    const source =
      typeof run === 'string'
        ? await fromRun(projectOf(invocation), run, words.join(' '))
        : await fromArgument(global.cwd, words);
    if (source.warning !== undefined) printNotice(terminal, source.warning);
    const base = await liteInputs('execute', source.task, invocation);
    refuseReviewer(
      base.review ?? source.handoff?.review,
      base.roster.filter(({ id }) => !base.absent?.includes(id)),
    );
    const given = 'files' in source ? source.files : source.plan(factsFor(base));
    const { files, dropped } = ordered(given, options['forceCycles'] === true);
    const { critical } = checkQuality(files.plan, files.tasks);
    if (critical.length > 0) throw planInvalid(critical);
    const inputs: LiteInputs = {
      ...base,
      files,
      ...(dropped.length === 0 ? {} : { droppedDependencies: dropped }),
      ...(source.assignments === undefined ? {} : { assignments: source.assignments }),
      ...(source.handoff === undefined ? {} : { handoff: source.handoff }),
    };
    if (global.dryRun) {
      return {
        exit: 0,
        json: { dryRun: true, inputs },
        text: `Would carry out ${files.plan.task_ids.join(', ')}.\n`,
      };
    }
    return startLiteRun(inputs, firstLine(source.task), invocation);
  },
};

type Source = {
  task: string;
  warning?: string;
} & Pick<LiteInputs, 'assignments' | 'handoff'> &
  ({ files: LitePlanFiles } | { plan: (facts: PlanFacts) => LitePlanFiles });

/** P-111: with --force-cycles a circle is broken where the plan begins it; otherwise the check refuses it. */
function ordered(
  { plan, tasks }: LitePlanFiles,
  force: boolean,
): { files: LitePlanFiles; dropped: DroppedDependency[] } {
  if (!force) return { files: { plan, tasks }, dropped: [] };
  const broken = breakCycles(tasks);
  return { files: { plan, tasks: broken.tasks }, dropped: broken.dropped };
}

function factsFor({ session, baseCommit, task }: LiteInputs): PlanFacts {
  return {
    session,
    timestamp: new Date().toISOString(),
    complexity: assessComplexity(task),
    angles: [],
    baseCommit,
  };
}

/** P-101…P-104: the file or plan folder that is there, an error when it should be, else a prompt. */
async function fromArgument(cwd: string, words: readonly string[]): Promise<Source> {
  const text = words.join(' ').trim();
  if (text === '') {
    throw new CharretteError({
      code: 'usage',
      message: 'There is nothing to carry out.',
      fix: 'Give a prompt, a plan file, or `--run <run>`.',
    });
  }
  const file = words.length > 1 ? undefined : await namedFile(cwd, text);
  if (file === undefined) return { task: text, plan: (facts) => directPlan(text, [], facts) };
  const content = (await readTextFile(file, 4_000_000)) ?? '';
  if (content.trim() === '')
    throw new CharretteError({
      code: 'plan-invalid',
      message: `The file ${text} is empty.`,
      fix: 'Write a plan or a task in it.',
    });
  const input = recognisePlan(content);
  if (input.kind === 'plan') return planFolder(path.dirname(file), content);
  if (/\.json$/i.test(file)) return fromDesign(file, content, input);
  const list = await readTaskFile(file);
  if (list !== undefined) return fromTaskList(list);
  return {
    task: content,
    plan: (facts) => directPlan(content, [], facts),
    ...(input.kind === 'text'
      ? {}
      : { warning: `${text} looks like a plan, but ${input.flaw}; it is taken as text.` }),
  };
}

/** A task list, as `plan import` reads it. */
function fromTaskList({ draft, notes, format }: ForeignPlan): Source {
  const { overview, tasks } = draft;
  return {
    task: overview.summary,
    plan: (facts) => filesFromDraft(draft, facts, tasks.length === 1 ? facts.complexity : 'Medium'),
    warning: [`${tasks.length} tasks from ${format}`, ...notes].join('; '),
  };
}

/** A JSON file that is no lite plan is the plan of a design, never a prompt: nobody wants the text of a broken plan done. */
function fromDesign(file: string, content: string, input: Exclude<PlanInput, { kind: 'plan' }>): Source {
  const reading = readJson(content);
  const design = readJudgement('plan', reading.ok ? reading.value : undefined);
  if (!design.ok) throw notAPlan(file, input);
  return { task: design.value.title, plan: (facts) => filesFromDesign(design.value, facts) };
}

/** The file that one argument means, a folder's plan.json; `undefined` when it is a prompt. */
async function namedFile(cwd: string, text: string): Promise<string | undefined> {
  const place = path.resolve(cwd, text);
  // A prompt can be too long for a name.
  const facts = await stat(place).catch(() => undefined);
  if (facts?.isDirectory() === true) {
    const plan = path.join(place, 'plan.json');
    if (existsSync(plan)) return plan;
    throw notFound(`The folder ${text} has no plan.json.`);
  }
  if (facts === undefined) {
    if (looksLikeFile(text)) throw notFound(`The file ${text} does not exist.`);
    return undefined;
  }
  if (readableEnding.test(text)) return place;
  throw new CharretteError({
    code: 'usage',
    message: `The file ${text} is neither .json, .md nor .txt.`,
    fix: 'Give a plan or a task in such a file, or say in words what to do.',
  });
}

function notFound(message: string): CharretteError {
  const fix = 'Give a plan file, a folder with plan.json, or a prompt of more than one word.';
  return new CharretteError({ code: 'not-found', message, fix });
}

async function planFolder(folder: string, planText: string): Promise<{ task: string; files: LitePlanFiles }> {
  const { files } = await readLiteFolder(folder, planText);
  return { task: files.plan.summary, files };
}

/** The plan of a lite-plan or of a design run. */
async function fromRun(project: Project, name: string, text: string): Promise<Source> {
  if (text.trim() !== '')
    throw new CharretteError({
      code: 'usage',
      message: `--run carries out the plan of a run; there is no place for ${JSON.stringify(text)}.`,
      fix: 'Leave out --run or the text; a plan is changed with `charrette lite-plan`.',
    });
  const directory = await findRun(project, name);
  const record = await readRunRecord(directory);
  const planText = await readTextFile(path.join(directory.artifacts, 'plan.json'));
  if (planText === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The run ${directory.id} has no plan yet.`,
      fix: `Look at it with \`charrette show ${directory.id}\`.`,
    });
  }
  if (recognisePlan(planText).kind === 'plan') {
    const plan = await planFolder(directory.artifacts, planText);
    return { ...plan, task: record.title, ...(await handoffOf(directory, planText, plan.files)) };
  }
  const design = readDesign(planText);
  return {
    task: record.title,
    plan: (facts) => filesFromDesign(design, { ...facts, baseCommit: record.baseCommit ?? facts.baseCommit }),
  };
}

/** P-014, P-167: an unused handoff, as long as the files it was given for are the same; wishes in words hold in any case. */
async function handoffOf(
  { id, artifacts }: RunDirectory,
  planText: string,
  { plan }: LitePlanFiles,
): Promise<Pick<Source, 'assignments' | 'handoff' | 'warning'>> {
  const file = path.join(artifacts, 'execution-context.json');
  const reading = readJson((await readTextFile(file)) ?? '');
  const context = executionContextSchema.safeParse(reading.ok ? reading.value : undefined);
  if (!context.success) return {};
  const { executionMethod, codeReviewTool, clarificationContext, autoMode, handoff } = context.data;
  const { executorAssignments } = context.data;
  const asked = executorAssignments === null ? {} : { assignments: executorAssignments };
  // A fallback plan that no person allowed is asked about.
  const isUnseen = autoMode && plan._metadata.degraded === true;
  if (handoff.consumedAt !== undefined || isUnseen) return asked;
  const texts = new Map((await readTaskTexts(artifacts)).map((task) => [task.file, task.text]));
  const current = [planText, ...plan.task_ids.map((task) => texts.get(`${task}.json`) ?? '')];
  if (handoffToken(id, current) !== handoff.token)
    return { ...asked, warning: 'The plan was changed after it was allowed; it is asked about again.' };
  return {
    ...asked,
    handoff: {
      file,
      execution: executionMethod,
      review: codeReviewTool,
      auto: autoMode,
      ...(clarificationContext === null ? {} : { clarifications: clarificationContext }),
    },
  };
}
