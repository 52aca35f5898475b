import type { OutlineTask } from './outline.ts';

export type PhasedTask = {
  task: OutlineTask;
  phase: string;
  parallel: boolean;
  /** Numbers that its own line names. */
  after: number[];
  done: boolean;
};

/**
 * What each task waits for. In a list of spec-kit, tasks follow one another, neighbours with [P] go side by side, phases
 * follow one another, and phases of user stories next to each other do not wait for one another. `explicit`: only what
 * the lines name.
 */
export function orderOf(tasks: readonly PhasedTask[], explicit: boolean): Map<number, number[]> {
  const order = new Map(tasks.map(({ task, after }) => [task.number, new Set(after)]));
  if (!explicit) {
    let before: number[] = [];
    let stories: { start: number[]; ends: number[] } | undefined;
    for (const phase of phasesOf(tasks)) {
      const story = /user story/i.test(phase[0]?.phase ?? '');
      if (story) stories ??= { start: before, ends: [] };
      else if (stories !== undefined) {
        before = stories.ends;
        stories = undefined;
      }
      const end = orderPhase(phase, stories?.start ?? before, order);
      if (stories === undefined) before = end;
      else for (const number of end) stories.ends.push(number);
    }
  }
  return new Map([...order].map(([number, set]) => [number, [...set].toSorted((a, b) => a - b)]));
}

function phasesOf(tasks: readonly PhasedTask[]): PhasedTask[][] {
  const phases: PhasedTask[][] = [];
  for (const task of tasks) {
    const last = phases.at(-1);
    if (last !== undefined && last[0]?.phase === task.phase) last.push(task);
    else phases.push([task]);
  }
  return phases;
}

/** Orders one phase behind `before` and says what the next one has to wait for. */
function orderPhase(
  phase: readonly PhasedTask[],
  before: readonly number[],
  order: Map<number, Set<number>>,
): number[] {
  let [gate, group] = [[...before], [] as number[]];
  for (const { task, parallel } of phase) {
    if (!parallel && group.length > 0) [gate, group] = [group, []];
    for (const number of gate) order.get(task.number)?.add(number);
    if (parallel) group.push(task.number);
    else gate = [task.number];
  }
  return group.length > 0 ? group : gate;
}
