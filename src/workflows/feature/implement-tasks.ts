import { CharretteError } from '../../base/errors.ts';
import { parallelGroups } from '../../plan/tasks/schedule.ts';
import { sideFiles } from '../../prompts/artifacts.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import { leafTasks, taskDependencies, taskFiles, withUniqueNumbers } from '../../prompts/sections/match.ts';
import { indexed, parseTasks, scopeTask, type Task } from '../../prompts/sections/tasks.ts';
import {
  type CompiledTask,
  compileTaskPrompt,
  readProject,
  renderProjectContext,
} from '../../prompts/task-prompt.ts';
import { appendRecord, look, recordFresh } from './records.ts';
import { titleOf } from './rules/finish-texts.ts';
import { oneLine } from './rules/history.ts';
import {
  implementationLogHeader,
  readTaskReport,
  renderLogEntry,
  safePaths,
} from './rules/implementation-log.ts';
import type { CallOutcome } from './rules/role-call.ts';
import type { CallRequest, ImplementRun } from './run.ts';
import type { Start, Work } from './work.ts';

/** A task with its prompt, as its implementer gets it. */
type Assignment = CompiledTask & { number: string; task: Task; prompt: string; feature: FeatureFiles };

/** T-051…T-072: one implementer per task; in parallel where the tasks allow it, merged in the order of the file. */
export async function implementTasks(run: ImplementRun, work: Work): Promise<void> {
  const feature = await look(run, 'tasks');
  const tasks = withUniqueNumbers(leafTasks(parseTasks(textOf(feature, 'tasks'))));
  if (tasks.length === 0) {
    throw new CharretteError({
      code: 'artifact-missing',
      message: 'tasks.md has no task headings (`### Task 1.1: …`).',
      fix: 'Write tasks.md with `charrette feature tasks`.',
    });
  }
  const assignments = await assign(run, feature, tasks);
  const numbers = tasks.map(({ number }) => number);
  const groups = parallelGroups(assignments, run.inputs.tasksAtOnce, ({ task }) =>
    taskDependencies(task, numbers),
  );
  let done = 0;
  for (const group of groups) {
    const opened: { assignment: Assignment; start: Start }[] = [];
    for (const assignment of group) {
      const name = `task ${assignment.task.number}`;
      opened.push({ assignment, start: await work.open(name, name) });
    }
    const outcomes = await run.callAll(
      opened.map(({ assignment, start }) => requestOf(run, work, assignment, start)),
    );
    for (const [index, { assignment, start }] of opened.entries())
      if (await settle(run, work, assignment, start, outcomes[index])) done += 1;
    run.note(`${done} of ${tasks.length} tasks done`);
  }
}

async function assign(
  run: ImplementRun,
  feature: FeatureFiles,
  tasks: readonly Task[],
): Promise<Assignment[]> {
  const projectContext = await run.once('project context', async () => {
    const facts = await readProject(feature.directory, feature.meta.meta);
    return facts === undefined ? null : renderProjectContext(facts);
  });
  const plan = indexed(textOf(feature, 'plan'));
  const design = indexed(textOf(feature, 'design'));
  return tasks.map((task) => {
    const compiled = compileTaskPrompt({
      task,
      scope: scopeTask(task, plan, design),
      files: feature.files,
      prd: feature.prd,
      workFiles: safePaths(taskFiles(task)),
      projectContext: projectContext ?? undefined,
    });
    for (const warning of compiled.warnings) run.warn(warning);
    return { ...compiled, number: task.number, task, prompt: run.prompt(compiled.draft), feature };
  });
}

function requestOf(run: ImplementRun, work: Work, { task, prompt }: Assignment, start: Start): CallRequest {
  return {
    agent: run.inputs.author,
    lane: `task ${task.number}`,
    task: 'implementing-implementer',
    prompt,
    place: work.place(start, 'write'),
  };
}

/** T-071: a call that failed is repeated or skipped, as you decide; a report in an unknown form is not a failure. True when done. */
async function settle(
  run: ImplementRun,
  work: Work,
  assignment: Assignment,
  firstStart: Start,
  first: CallOutcome | undefined,
): Promise<boolean> {
  const { task } = assignment;
  let outcome = first;
  let start = firstStart;
  for (let attempt = 1; ; attempt += 1) {
    let extra = '';
    if (outcome !== undefined && outcome.error === undefined) {
      const name = `task ${task.number}${attempt === 1 ? '' : ` again ${attempt}`}`;
      const message = oneLine(`Task ${task.number}: ${task.title}`).slice(0, 200);
      const merged = await work.merge(name, start, message);
      if (merged.kind !== 'conflict') {
        const files = merged.kind === 'landed' ? merged.files : [];
        if (files.length === 0) run.warn(`task ${task.number}: no file changed`);
        await record(run, assignment, outcome, files);
        await work.close(name, start);
        return true;
      }
      run.warn(
        `task ${task.number} conflicts in ${merged.files.join(', ')}; it is done again on top of the others`,
      );
      extra = `\nThe code has changed since: ${merged.files.map(oneLine).join(', ')}. Do the task on top of it.\n`;
    } else if (!(await askRetry(run, task, attempt, outcome?.error ?? 'no answer'))) return false;
    const lane = `task ${task.number} again ${attempt + 1}`;
    start = await work.open(lane, lane);
    const request = requestOf(run, work, assignment, start);
    outcome = await run.call({ ...request, lane, prompt: `${request.prompt}${extra}` });
  }
}

async function askRetry(
  run: ImplementRun,
  { number }: Task,
  attempt: number,
  problem: string,
): Promise<boolean> {
  const id = `task-${number}-${attempt}`;
  const answers = await run.context.ask([
    {
      id,
      text: `Task ${number} failed: ${oneLine(problem).slice(0, 300)}. What now?`,
      options: [
        { value: 'retry', label: 'Try again' },
        { value: 'skip', label: 'Skip the task; the reviewers will say what is missing' },
      ],
      // One retry is worth it; after that you have to look.
      ...(attempt === 1 ? { recommended: 'retry' } : {}),
    },
  ]);
  if (answers.get(id)?.value === 'retry') return true;
  run.warn(`task ${number} was skipped: ${problem}`);
  return false;
}

/** T-069, T-070: git says what changed, the implementer why. */
async function record(
  run: ImplementRun,
  { task, prompt, expected, feature }: Assignment,
  { text: answer }: CallOutcome,
  filesChanged: readonly string[],
): Promise<void> {
  const { number, title } = task;
  const report = readTaskReport(answer);
  if (report.partial) run.warn(`task ${number}: the report names no files; git does`);
  const entry = renderLogEntry(number, title, { ...report, filesChanged });
  await appendRecord(run, `implementation log of task ${number}`, entry, {
    header: implementationLogHeader,
    file: sideFiles.log,
  });
  const fresh = { command: 'implementing', role: 'implementer', prompt, answer, feature, expected };
  await recordFresh(run, `task ${number}`, fresh, ['prd', 'spec', 'design', 'plan']);
}

/** §2B: the tasks of a mode without a tasks phase: the whole specification as one. */
export function tasksOfSpec(feature: string, spec: string): string {
  return [
    '# Tasks',
    '',
    'The feature goes from its specification to code at once, so all of it is one task.',
    '',
    '## Phase 1: Everything',
    '',
    `### Task 1: ${oneLine(titleOf(feature, spec))}`,
    '',
    '- **Source:** spec.md',
    '- **Done when:** every criterion in spec.md is met and tested',
    '',
  ].join('\n');
}

function textOf({ files }: FeatureFiles, key: 'tasks' | 'plan' | 'design'): string {
  const file = files[key];
  return file.kind === 'present' ? (file.text ?? '') : '';
}
