import { type Dependent, levelsOf } from './dependencies.ts';

export type Schedulable = Dependent & { files?: readonly { path: string }[] | undefined };

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

export type ScheduleRules = {
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
  return levelsOf(tasks).flatMap((level, index) => {
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
