import { type Dependent, dependencyProblems } from './dependencies.ts';

export type DroppedDependency = { id: string; dependency: string };

/**
 * P-111: tasks that go in a circle, put in an order all the same: of each circle, the task that the plan lists first no longer
 * waits for the others. What was dropped is said; the rest of the dependencies stays.
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
