import { repeated } from '../../base/text/strings.ts';

/** A task as far as the order of work is concerned. */
export type Dependent = { id: string; depends_on: readonly string[] };

/** A task that was completed before this run is shown, not executed again. */
export const isDone = ({ status }: { status?: string | undefined }) => status === 'completed';

/** The tasks that are left, without their dependencies on completed ones. */
export function openTasks<Task extends Dependent & { status?: string | undefined }>(
  tasks: readonly Task[],
): Task[] {
  const done = new Set(tasks.filter(isDone).map(({ id }) => id));
  return tasks
    .filter((task) => !isDone(task))
    .map((task) => ({ ...task, depends_on: task.depends_on.filter((id) => !done.has(id)) }));
}

type DependencyProblem =
  | { kind: 'duplicate'; id: string }
  | { kind: 'unknown'; id: string; missing: string }
  | { kind: 'cycle'; cycle: string[] };

/** P-111: duplicate ids, unknown dependencies and every way the tasks go in a circle. References forward are fine. */
export function dependencyProblems(tasks: readonly Dependent[]): DependencyProblem[] {
  const ids = tasks.map(({ id }) => id);
  const known = new Set(ids);
  const cycle = findCycle(tasks);
  return [
    ...repeated(ids).map((id) => ({ kind: 'duplicate' as const, id })),
    ...tasks.flatMap(({ id, depends_on }) =>
      depends_on
        .filter((missing) => !known.has(missing))
        .map((missing) => ({ kind: 'unknown' as const, id, missing })),
    ),
    ...(cycle === undefined ? [] : [{ kind: 'cycle' as const, cycle }]),
  ];
}

export function describeProblem(problem: DependencyProblem): string {
  switch (problem.kind) {
    case 'duplicate':
      return `${problem.id} occurs twice`;
    case 'unknown':
      return `${problem.id} depends on ${problem.missing}, which is not a task of this plan`;
    case 'cycle':
      return `the tasks go in a circle: ${problem.cycle.join(' → ')}`;
  }
}

/** A circle, its first id repeated at the end; `undefined` when there is none. */
function findCycle(tasks: readonly Dependent[]): string[] | undefined {
  const { left } = dependencyWaves(tasks);
  const needs = new Map(left.map(({ id, depends_on }) => [id, depends_on]));
  const start = left[0]?.id;
  if (start === undefined) return undefined;
  // Every remaining task depends on a remaining one, so following dependencies must come back.
  const path = new Set<string>();
  let next = start;
  while (!path.has(next)) {
    path.add(next);
    next = needs.get(next)?.find((id) => needs.has(id)) ?? start;
  }
  const ids = [...path];
  return [...ids.slice(ids.indexOf(next)), next];
}

/**
 * P-112: the tasks in waves, each one after the last of what it depends on and in the order of the plan; `left` are in a circle or
 * behind one. Dependencies on unknown tasks do not count.
 */
export function dependencyWaves<Task extends Dependent>(
  tasks: readonly Task[],
): { waves: Task[][]; left: Task[] } {
  const known = new Set(tasks.map(({ id }) => id));
  const dependants = new Map<string, number[]>();
  const open = tasks.map(({ depends_on }, index) => {
    const needed = new Set(depends_on.filter((id) => known.has(id)));
    for (const id of needed) {
      const list = dependants.get(id);
      if (list === undefined) dependants.set(id, [index]);
      else list.push(index);
    }
    return needed.size;
  });
  const waves: Task[][] = [];
  let ready = open.flatMap((count, index) => (count === 0 ? [index] : []));
  while (ready.length > 0) {
    const wave = ready.sort((one, two) => one - two).flatMap((index) => tasks[index] ?? []);
    waves.push(wave);
    ready = [];
    for (const { id } of wave) {
      for (const index of dependants.get(id) ?? []) {
        const count = (open[index] ?? 0) - 1;
        open[index] = count;
        if (count === 0) ready.push(index);
      }
      // A second task of the same id frees nothing again.
      dependants.delete(id);
    }
  }
  return { waves, left: tasks.filter((_, index) => (open[index] ?? 0) > 0) };
}

/** The waves of a plan that was checked; a circle is an error here. */
export function wavesOf<Task extends Dependent>(tasks: readonly Task[]): Task[][] {
  const { waves, left } = dependencyWaves(tasks);
  if (left.length === 0) return waves;
  throw new Error(`No order for ${left.map(({ id }) => id).join(', ')}: check the plan first.`);
}

/**
 * T-134: tasks that may run in parallel, group after group, in the order of the file. A task that does not name its
 * dependencies (`undefined`) waits for all before it.
 */
export function parallelGroups<Task extends { number: string }>(
  tasks: readonly Task[],
  max: number,
  dependenciesOf: (task: Task) => readonly string[] | undefined,
): Task[][] {
  const groups: Task[][] = [];
  for (const task of tasks) {
    const open = groups.at(-1);
    const needs = dependenciesOf(task);
    const joins =
      open !== undefined &&
      open.length < Math.max(1, max) &&
      needs !== undefined &&
      !open.some(({ number }) => needs.includes(number));
    if (joins) open.push(task);
    else groups.push([task]);
  }
  return groups;
}

/** P-117: all that needs one of these, near or far, with the task that it misses. */
export function dependantsOf(tasks: readonly Dependent[], failed: ReadonlySet<string>): Map<string, string> {
  const lost = new Map<string, string>();
  for (let grown = true; grown; ) {
    grown = false;
    for (const { id, depends_on } of tasks) {
      if (failed.has(id) || lost.has(id)) continue;
      const missing = depends_on.find((each) => failed.has(each) || lost.has(each));
      if (missing === undefined) continue;
      lost.set(id, missing);
      grown = true;
    }
  }
  return lost;
}

export type DroppedDependency = { id: string; dependency: string };

/**
 * P-111: breaks cycles. In each cycle, the task that the plan lists first no longer
 * waits for the others. Returns the dropped dependencies; the others stay.
 */
export function breakCycles<Task extends Dependent>(
  tasks: readonly Task[],
): { tasks: Task[]; dropped: DroppedDependency[] } {
  const dropped: DroppedDependency[] = [];
  let current = [...tasks];
  for (;;) {
    const circle = dependencyProblems(current).find((problem) => problem.kind === 'cycle')?.cycle;
    if (circle === undefined) return { tasks: current, dropped };
    const first = current.find(({ id }) => circle.includes(id))?.id ?? circle[0] ?? '';
    const dependency = circle[circle.indexOf(first) + 1] ?? first;
    dropped.push({ id: first, dependency });
    current = current.map((task) =>
      task.id === first
        ? { ...task, depends_on: task.depends_on.filter((each) => each !== dependency) }
        : task,
    );
  }
}

type Schedulable = Dependent & { files?: readonly { path: string }[] | undefined };

/** P-113: one invocation of one executor. */
export type Batch<Task extends Schedulable = Schedulable> = {
  /** `P1` when others of its wave exist, `S1` when it is alone. Unique in a run. */
  id: string;
  executor: string;
  wave: number;
  tasks: Task[];
  /** P-115: files that another batch of the same wave also wants; such batches never run side by side. */
  contested: string[];
};

/** Batches that run at the same time. Rounds follow each other strictly. */
export type Round<Task extends Schedulable = Schedulable> = { wave: number; batches: Batch<Task>[] };

type ScheduleRules = {
  executorOf: (task: string) => string;
  /** Batches at the same time. */
  cap: number;
  /** C-08: tasks that share an invocation. */
  tasksPerBatch: number;
};

/** P-110…P-116: waves by dependency, batches by executor, rounds under the cap and without two batches on one file. */
export function scheduleTasks<Task extends Schedulable>(
  tasks: readonly Task[],
  rules: ScheduleRules,
): Round<Task>[] {
  let [parallel, single] = [0, 0];
  return wavesOf(tasks).flatMap((level, index) => {
    const groups = groupTasks(level, rules);
    const wanted = new Map<string, number>();
    for (const { tasks: taken } of groups)
      for (const file of new Set(filesOf(taken))) wanted.set(file, (wanted.get(file) ?? 0) + 1);
    const batches = groups.map((group): Batch<Task> => {
      const id = groups.length > 1 ? `P${++parallel}` : `S${++single}`;
      const contested = filesOf(group.tasks).filter((file) => (wanted.get(file) ?? 0) > 1);
      return { id, wave: index + 1, ...group, contested };
    });
    return packRounds(batches, rules.cap).map((round) => ({ wave: index + 1, batches: round }));
  });
}

function groupTasks<Task extends Schedulable>(
  level: readonly Task[],
  { executorOf, tasksPerBatch }: ScheduleRules,
): { executor: string; tasks: Task[] }[] {
  const byExecutor = Map.groupBy(level, ({ id }) => executorOf(id));
  return [...byExecutor].flatMap(([executor, tasks]) => {
    const count = Math.ceil(tasks.length / Math.max(1, tasksPerBatch));
    return Array.from({ length: count }, (_, at) => ({
      executor,
      tasks: tasks.slice(at * tasksPerBatch, (at + 1) * tasksPerBatch),
    }));
  });
}

function packRounds<Task extends Schedulable>(batches: readonly Batch<Task>[], cap: number): Batch<Task>[][] {
  const rounds: Batch<Task>[][] = [];
  // Rounds that have room, with the files that are taken in them.
  let open: { round: Batch<Task>[]; files: Set<string> }[] = [];
  for (const batch of batches) {
    const files = filesOf(batch.tasks);
    let free = open.find(({ files: taken }) => !files.some((file) => taken.has(file)));
    if (free === undefined) {
      free = { round: [], files: new Set() };
      rounds.push(free.round);
      open.push(free);
    }
    free.round.push(batch);
    for (const file of files) free.files.add(file);
    if (free.round.length >= cap) open = open.filter((each) => each !== free);
  }
  return rounds;
}

function filesOf(tasks: readonly Schedulable[]): string[] {
  return tasks.flatMap(({ files = [] }) => files.map(({ path }) => path));
}
