/** A task as far as the order of work is concerned. */
export type Dependent = { id: string; depends_on: readonly string[] };

export type DependencyProblem =
  | { kind: 'duplicate'; id: string }
  | { kind: 'unknown'; id: string; missing: string }
  | { kind: 'cycle'; cycle: string[] };

/** P-111: duplicate ids, unknown dependencies and every way the tasks go in a circle. References forward are fine. */
export function dependencyProblems(tasks: readonly Dependent[]): DependencyProblem[] {
  const ids = tasks.map(({ id }) => id);
  const known = new Set(ids);
  const duplicates = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
  const cycle = findCycle(tasks);
  return [
    ...duplicates.map((id) => ({ kind: 'duplicate' as const, id })),
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
      return `${problem.id} depends on ${problem.missing}, which is no task of this plan`;
    case 'cycle':
      return `the tasks go in a circle: ${problem.cycle.join(' → ')}`;
  }
}

/** A circle, its first id repeated at the end; `undefined` when there is none. */
function findCycle(tasks: readonly Dependent[]): string[] | undefined {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const left = new Map(tasks.map(({ id, depends_on }) => [id, depends_on.filter((each) => byId.has(each))]));
  for (let removed = true; removed; ) {
    removed = false;
    for (const [id, depends] of left) {
      if (depends.some((each) => left.has(each))) continue;
      left.delete(id);
      removed = true;
    }
  }
  const [start] = left.keys();
  if (start === undefined) return undefined;
  // Everything that is left depends on something that is left: walking on must come back.
  const path = [start];
  for (;;) {
    const last = path[path.length - 1] ?? start;
    const next = left.get(last)?.find((each) => left.has(each)) ?? start;
    const at = path.indexOf(next);
    if (at >= 0) return [...path.slice(at), next];
    path.push(next);
  }
}

/** P-112: topological levels; a task stands one level after the last of what it depends on. */
export function levelsOf<Task extends Dependent>(tasks: readonly Task[]): Task[][] {
  const level = new Map<string, number>();
  let waiting = [...tasks];
  const levels: Task[][] = [];
  while (waiting.length > 0) {
    const ready = waiting.filter(({ depends_on }) => depends_on.every((id) => level.has(id)));
    if (ready.length === 0)
      throw new Error(`No order for ${waiting.map(({ id }) => id).join(', ')}: check the plan first.`);
    for (const { id } of ready) level.set(id, levels.length);
    levels.push(ready);
    waiting = waiting.filter((task) => !level.has(task.id));
  }
  return levels;
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
