import { isRecord, readJson } from '../../base/safe-json.ts';
import { dependencyWaves } from '../../plan/tasks/schedule.ts';
import { isVague } from '../../plan/tasks/vague.ts';
import type { Draft, Rule } from '../lint/rule.ts';
import type { SkillPackage } from '../model/package.ts';

type Task = { file: string; id: string; value: Record<string, unknown> };

type PlanFiles = {
  plan: Record<string, unknown> | undefined;
  problem: string | undefined;
  tasks: Task[];
  broken: Draft[];
};

const cache = new WeakMap<SkillPackage, PlanFiles | undefined>();

/** `plan.json` and `.task/*.json` with or without a SKILL.md. */
function planFiles(subject: SkillPackage): PlanFiles | undefined {
  if (cache.has(subject)) return cache.get(subject);
  const files = readPlanFiles(subject);
  cache.set(subject, files);
  return files;
}

function readPlanFiles({ files: { texts } }: SkillPackage): PlanFiles | undefined {
  const text = texts.get('plan.json');
  if (text === undefined) return undefined;
  const reading = readJson(text);
  const tasks: Task[] = [];
  const broken: Draft[] = [];
  for (const [file, content] of texts) {
    if (!file.startsWith('.task/')) continue;
    const task = readJson(content);
    if (task.ok && isRecord(task.value))
      tasks.push({ file, id: String(task.value['id'] ?? ''), value: task.value });
    else
      broken.push({
        file,
        line: 0,
        message: `The task file is not a JSON object${task.ok ? '' : `: ${task.message}`}.`,
      });
  }
  if (!reading.ok)
    return { plan: undefined, problem: `plan.json does not parse: ${reading.message}.`, tasks, broken };
  if (!isRecord(reading.value))
    return { plan: undefined, problem: 'plan.json is not an object.', tasks, broken };
  return { plan: reading.value, problem: undefined, tasks, broken };
}

const inPlan = (message: string): Draft => ({ file: 'plan.json', line: 0, message });
const inTask = ({ file }: Task, message: string): Draft => ({ file, line: 0, message });

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function withPlan(look: (files: PlanFiles) => Draft[]) {
  return (subject: SkillPackage): Draft[] => {
    const files = planFiles(subject);
    return files === undefined ? [] : look(files);
  };
}

const legacyNames = ['acceptance', 'modification_points', 'verification'] as const;

export const planRules: readonly Rule[] = [
  {
    id: 'PL001',
    severity: 'error',
    summary: 'plan.json has its required fields, and task_count, task_ids and task files agree.',
    why: 'An executor that loads zero tasks reports success.',
    hint: 'Write summary, approach, task_ids, task_count, _metadata, and one .task/<id>.json for every id.',
    bad: 'task_count 3, two files',
    check: withPlan(({ plan, problem, tasks, broken }) => {
      if (plan === undefined) return [inPlan(problem ?? 'plan.json is not an object.')];
      const lacking = ['summary', 'approach', 'task_ids', 'task_count', '_metadata'].filter(
        (key) => plan[key] === undefined,
      );
      const ids = strings(plan['task_ids']);
      const have = new Set(tasks.map(({ id }) => id));
      const lost = ids.filter((id) => !have.has(id));
      const extra = tasks.filter(({ id }) => !ids.includes(id));
      return [
        ...lacking.map((key) => inPlan(`plan.json has no ${key}.`)),
        ...(plan['task_count'] !== undefined && plan['task_count'] !== ids.length
          ? [inPlan(`task_count is ${String(plan['task_count'])}, there are ${ids.length} task_ids.`)]
          : []),
        ...(new Set(ids).size === ids.length ? [] : [inPlan('task_ids has doubles.')]),
        ...lost.map((id) => inPlan(`The task ${id} has no file.`)),
        ...extra.map((task) => inTask(task, `The task ${task.id || '(without id)'} is not in task_ids.`)),
        ...broken,
      ];
    }),
  },
  {
    id: 'PL002',
    severity: 'error',
    summary: 'Tasks are separate files, not embedded in plan.json.',
    why: 'Two copies of a task drift apart.',
    hint: 'Move each task to .task/<id>.json and list its id in task_ids.',
    bad: '"tasks": [ … ] in plan.json',
    check: withPlan(({ plan }) =>
      Array.isArray(plan?.['tasks']) ? [inPlan('plan.json embeds tasks.')] : [],
    ),
  },
  {
    id: 'PL003',
    severity: 'error',
    summary: 'Dependencies exist and have no cycle.',
    why: 'Tasks in a cycle never start.',
    hint: 'Correct depends_on.',
    bad: 'T1→T2→T1',
    check: withPlan(({ tasks }) => dependencyProblems(tasks)),
  },
  {
    id: 'PL004',
    severity: 'warning',
    summary: 'Convergence criteria can be checked.',
    why: '"Works correctly" is true of everything until it fails.',
    hint: 'Name an observable result: a command, a value, a file.',
    bad: '"Service works correctly"',
    check: withPlan(({ tasks }) =>
      tasks.flatMap((task) => {
        const convergence = task.value['convergence'];
        const criteria = isRecord(convergence) ? strings(convergence['criteria']) : [];
        return criteria
          .filter(isVague)
          .map((text) => inTask(task, `The criterion "${text.slice(0, 80)}" is vague.`));
      }),
    ),
  },
  {
    id: 'PL005',
    severity: 'warning',
    summary: 'A task has at least two implementation steps.',
    why: 'One step is the title again.',
    hint: 'Say how, in at least two steps.',
    bad: '"implementation": ["do it"]',
    check: withPlan(({ tasks }) =>
      tasks.flatMap((task) => {
        const steps = task.value['implementation'];
        return Array.isArray(steps) && steps.length < 2
          ? [inTask(task, `The task has ${steps.length} implementation steps.`)]
          : [];
      }),
    ),
  },
  {
    id: 'PL006',
    severity: 'warning',
    summary: 'No file is changed by two tasks of one wave.',
    why: 'They run at the same time and overwrite each other.',
    hint: 'Make one depend on the other, or merge them.',
    bad: 'both list src/a.ts',
    check: withPlan(({ tasks }) => waveConflicts(tasks)),
  },
  {
    id: 'PL007',
    severity: 'error',
    summary: 'Task files use the current names.',
    why: 'Readers of the current format ignore the old ones.',
    hint: 'Use convergence.criteria, files[].change and test.',
    bad: '"acceptance", "modification_points"',
    check: withPlan(({ tasks }) =>
      tasks.flatMap((task) =>
        legacyNames
          .filter((name) => task.value[name] !== undefined)
          .map((name) => inTask(task, `The task uses the old name ${name}.`)),
      ),
    ),
  },
];

function dependencyProblems(tasks: readonly Task[]): Draft[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const drafts = tasks.flatMap((task) =>
    strings(task.value['depends_on'])
      .filter((id) => !byId.has(id))
      .map((id) => inTask(task, `It depends on ${id}, which does not exist.`)),
  );
  const { left } = wavesOf(tasks);
  const [first] = left;
  if (first !== undefined)
    drafts.push(inTask(first, `These tasks wait for each other: ${left.map(({ id }) => id).join(', ')}.`));
  return drafts;
}

/** The shared scheduler over task files, whose fields may have any type. */
function wavesOf(tasks: readonly Task[]) {
  return dependencyWaves(tasks.map((task) => ({ ...task, depends_on: strings(task.value['depends_on']) })));
}

function waveConflicts(tasks: readonly Task[]): Draft[] {
  return wavesOf(tasks).waves.flatMap((wave) => {
    const owners = new Map<string, Task>();
    return wave.flatMap((task) => {
      const files = Array.isArray(task.value['files']) ? task.value['files'] : [];
      const paths = new Set(
        files.flatMap((file) => (isRecord(file) && typeof file['path'] === 'string' ? [file['path']] : [])),
      );
      return [...paths].flatMap((path): Draft[] => {
        const other = owners.get(path);
        if (other === undefined) {
          owners.set(path, task);
          return [];
        }
        return [inTask(task, `${path} is also changed by ${other.id} in the same wave.`)];
      });
    });
  });
}
