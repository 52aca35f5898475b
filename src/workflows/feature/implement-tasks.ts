import { CharretteError } from '../../base/errors.ts';
import { parallelGroups } from '../../plan/tasks/schedule.ts';
import { sideFiles } from '../../prompts/artifacts.ts';
import { compose } from '../../prompts/compose.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import { readProject, renderProjectContext } from '../../prompts/read-project.ts';
import { indexed, scopeTask } from '../../prompts/sections/scope.ts';
import {
  leafTasks,
  taskDependencies,
  taskFiles,
  withUniqueNumbers,
} from '../../prompts/sections/task-fields.ts';
import { parseTasks, type Task } from '../../prompts/sections/tasks.ts';
import { type CompiledTask, compileTaskPrompt } from '../../prompts/task-prompt.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import type { FeatureDesk } from './desk.ts';
import { recordFresh } from './fresh-call.ts';
import type { FeatureImplementInputs } from './inputs.ts';
import { appendRecord, look } from './records.ts';
import { oneLine } from './rules/history.ts';
import {
  implementationLogHeader,
  readTaskReport,
  renderLogEntry,
  safePaths,
} from './rules/implementation-log.ts';
import type { CallOutcome } from './rules/review-call.ts';
import { type KeptStart, landWork, openAt, placeIn, type Work } from './work.ts';

type Desk = FeatureDesk<FeatureImplementInputs>;

/** T-051…T-072: every task gets an implementer of its own; side by side where tasks say that they may, joined in the order of the file. */
export async function carryOutTasks(desk: Desk, work: Work): Promise<{ done: number; skipped: string[] }> {
  const feature = await look(desk, 'tasks');
  const tasks = withUniqueNumbers(leafTasks(parseTasks(textOf(feature, 'tasks'))));
  if (tasks.length === 0) {
    throw new CharretteError({
      code: 'artifact-missing',
      message: 'tasks.md has no task headings (`### Task 1.1: …`).',
      fix: 'Write tasks.md with `charrette feature tasks`.',
    });
  }
  const prompts = await promptsOf(desk, feature, tasks);
  const skipped: string[] = [];
  let done = 0;
  const numbers = tasks.map(({ number }) => number);
  const groups = parallelGroups(tasks, desk.inputs.tasksAtOnce, (task) => taskDependencies(task, numbers));
  for (const group of groups) {
    const opened: { task: Task; start: KeptStart }[] = [];
    for (const task of group) {
      const name = `task ${task.number}`;
      opened.push({ task, start: await openAt(desk, work, name, name) });
    }
    const outcomes = await desk.callAll(
      opened.map(({ task, start }) => requestOf(desk, work, prompts, task, start)),
    );
    for (const [index, { task, start }] of opened.entries()) {
      const ended = await settle(desk, work, feature, prompts, task, start, outcomes[index]);
      if (ended) done += 1;
      else skipped.push(task.number);
    }
    desk.note(`${done} of ${tasks.length} tasks done`);
  }
  return { done, skipped };
}

type Prompt = CompiledTask & { text: string };

async function promptsOf(
  desk: Desk,
  feature: FeatureFiles,
  tasks: readonly Task[],
): Promise<ReadonlyMap<Task, Prompt>> {
  const project = await desk.once('project context', async () => {
    const facts = await readProject(feature.directory, feature.meta.meta);
    return facts === undefined ? null : renderProjectContext(facts);
  });
  const plan = indexed(textOf(feature, 'plan'));
  const design = indexed(textOf(feature, 'design'));
  const prompts = new Map<Task, Prompt>();
  for (const task of tasks) {
    const compiled = compileTaskPrompt({
      task,
      scope: scopeTask(task, plan, design),
      files: feature.files,
      prd: feature.prd,
      workFiles: safePaths(taskFiles(task)),
      ...(project === null ? {} : { projectContext: project }),
    });
    for (const warning of compiled.warnings) desk.warn(warning);
    const { overrides } = desk.services;
    prompts.set(task, { ...compiled, text: compose(compiled.draft, { nonce: desk.nonce, overrides }).text });
  }
  return prompts;
}

function requestOf(
  desk: Desk,
  work: Work,
  prompts: ReadonlyMap<Task, Prompt>,
  task: Task,
  start: KeptStart,
  extra = '',
) {
  return {
    agent: desk.inputs.author,
    request: {
      lane: `task ${task.number}`,
      task: 'implementing-implementer',
      prompt: `${prompts.get(task)?.text ?? ''}${extra}`,
      place: placeIn(work, start, 'write'),
    },
  };
}

/** T-071: a call that failed is tried again or skipped, as the person says; a report in a strange form is no failure. */
async function settle(
  desk: Desk,
  work: Work,
  feature: FeatureFiles,
  prompts: ReadonlyMap<Task, Prompt>,
  task: Task,
  start: KeptStart,
  first: CallOutcome | undefined,
): Promise<boolean> {
  let outcome = first;
  let at = start;
  for (let attempt = 1; ; attempt += 1) {
    let extra = '';
    if (outcome !== undefined && outcome.error === undefined) {
      const name = `task ${task.number}${attempt === 1 ? '' : ` again ${attempt}`}`;
      const landed = await landWork(desk, work, name, at, messageOf(task));
      if (landed.kind !== 'conflict') {
        const files = landed.kind === 'landed' ? landed.files : [];
        if (files.length === 0) desk.warn(`task ${task.number}: no file changed`);
        await record(desk, feature, prompts.get(task), task, outcome, files);
        if (!work.kept.has(at.checkout))
          await desk.context.step(`close ${name}`, async () => {
            await removeWorktree(work.root, at.checkout);
            return true;
          });
        return true;
      }
      desk.warn(
        `task ${task.number} conflicts in ${landed.files.join(', ')}; it is done again on top of the others`,
      );
      extra = `\nThe code has changed since: ${landed.files.map(oneLine).join(', ')}. Do the task on top of it.\n`;
    } else if (!(await tryAgain(desk, task, attempt, outcome?.error ?? 'no answer'))) return false;
    const step = `task ${task.number} again ${attempt + 1}`;
    at = await openAt(desk, work, step, step);
    const { agent, request } = requestOf(desk, work, prompts, task, at, extra);
    outcome = await desk.call(agent, { ...request, lane: step });
  }
}

async function tryAgain(desk: Desk, task: Task, attempt: number, problem: string): Promise<boolean> {
  const id = `task-${task.number}-${attempt}`;
  const answers = await desk.context.ask([
    {
      id,
      text: `Task ${task.number} failed: ${oneLine(problem).slice(0, 300)}. What now?`,
      options: [
        { value: 'retry', label: 'Try again' },
        { value: 'skip', label: 'Leave the task out; the reviewers will say what is missing' },
      ],
      // Once is worth a try; then somebody has to look.
      ...(attempt === 1 ? { recommended: 'retry' } : {}),
    },
  ]);
  if (answers.get(id)?.value === 'retry') return true;
  desk.warn(`task ${task.number} was left out: ${problem}`);
  return false;
}

/** T-069, T-070: git says what changed, the implementer why. */
async function record(
  desk: Desk,
  feature: FeatureFiles,
  prompt: Prompt | undefined,
  task: Task,
  outcome: CallOutcome,
  files: readonly string[],
): Promise<void> {
  const report = readTaskReport(outcome.text);
  if (report.partial) desk.warn(`task ${task.number}: the report names no files; git does`);
  const entry = renderLogEntry(task.number, task.title, { ...report, filesChanged: files });
  await appendRecord(
    desk,
    `implementation log of task ${task.number}`,
    entry,
    implementationLogHeader,
    sideFiles.log,
  );
  if (prompt === undefined) return;
  await recordFresh(desk, {
    name: `task ${task.number}`,
    command: 'implementing',
    role: 'implementer',
    prompt: prompt.text,
    answer: outcome.text,
    feature,
    expected: prompt.expected,
    full: ['prd', 'spec', 'design', 'plan'],
  });
}

function messageOf({ number, title }: Task): string {
  return oneLine(`Task ${number}: ${title}`).slice(0, 200);
}

function textOf({ files }: FeatureFiles, key: 'tasks' | 'plan' | 'design'): string {
  const file = files[key];
  return file.kind === 'present' ? (file.text ?? '') : '';
}
