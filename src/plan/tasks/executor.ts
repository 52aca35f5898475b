import { CharretteError } from '../../base/errors.ts';
import type { Complexity } from '../../base/schema/lite/plan.ts';
import type { Dependent } from './schedule.ts';

/** P-071, C-07: only what the user asked for explicitly. */
export type Assignment = { executor: string; reason: string };

export type ExecutorChoice = {
  assignments: Readonly<Record<string, Assignment>>;
  /** `auto`, `agent`, or the name of an agent. */
  method: string;
  complexity: Complexity | undefined;
  /** Agents that may write, by preference. */
  writers: readonly string[];
  /** Those whose latest call failed: Auto prefers others. */
  unwell?: ReadonlySet<string>;
};

/** P-114: assignment, then the person's method, then the rule; `agent` is the first agent of this machine. */
export function resolveExecutor(task: string, choice: ExecutorChoice): string {
  const asked = choice.assignments[task]?.executor ?? choice.method;
  const wanted = asked.trim().toLowerCase();
  if (wanted === 'auto' || wanted === '') return autoExecutor(choice);
  if (wanted === 'agent') return choice.writers[0] ?? 'agent';
  return choice.writers.find((writer) => writer.toLowerCase() === wanted) ?? asked.trim();
}

/** P-105: a named executor is never replaced, so an unknown name is rejected first. */
export function refuseExecutor(method: string, writers: readonly string[]): void {
  if (['', 'auto', 'agent'].includes(method.trim().toLowerCase())) return;
  const named = resolveExecutor('', { assignments: {}, method, complexity: undefined, writers });
  if (!writers.includes(named)) throw cannotExecute([named], writers);
}

/** P-125 */
export function cannotExecute(missing: readonly string[], writers: readonly string[]): CharretteError {
  return new CharretteError({
    code: 'agent-not-found',
    message: `${missing.join(', ')} cannot execute tasks here; agents that can: ${writers.join(', ') || 'none'}.`,
    fix: 'Install or declare the agent (`charrette doctor`), or choose another with --executor.',
  });
}

/** Auto: Low goes to the first agent, the rest to codex if it can be called. C-09: gemini writes only when it is named. */
function autoExecutor({ complexity, writers, unwell }: ExecutorChoice): string {
  const able = writers.filter((writer) => !/gemini/i.test(writer));
  const well = able.filter((writer) => !unwell?.has(writer));
  const willing = well.length > 0 ? well : able;
  const first = willing[0] ?? writers[0] ?? 'agent';
  if (complexity === 'Low') return first;
  return willing.find((writer) => /codex/i.test(writer)) ?? first;
}

/** Whether codex is installed, may write and did not fail in this run. */
export function isCodexCallable({ writers, unwell }: Pick<ExecutorChoice, 'writers' | 'unwell'>): boolean {
  return writers.some((writer) => /codex/i.test(writer) && !unwell?.has(writer));
}

/** P-072: `Codex` only where it can be called, as far as known. */
export function recommendedExecution(complexity: Complexity, codex = true): 'Agent' | 'Codex' {
  return complexity === 'Low' || !codex ? 'Agent' : 'Codex';
}

export type CliExecution = {
  id: string;
  strategy: 'new' | 'resume' | 'fork' | 'merge_fork';
  resume_from?: string;
  merge_from?: string[];
};

/** How many tasks depend on each. */
export function childCounts(tasks: readonly Dependent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { depends_on } of tasks)
    for (const id of new Set(depends_on)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** P-070: the conversation that a task continues. */
export function cliExecution(
  session: string,
  task: Dependent,
  children: ReadonlyMap<string, number>,
): CliExecution {
  const id = `${session}-${task.id}`;
  const [parent, ...more] = task.depends_on;
  if (parent === undefined) return { id, strategy: 'new' };
  if (more.length > 0)
    return { id, strategy: 'merge_fork', merge_from: task.depends_on.map((each) => `${session}-${each}`) };
  return {
    id,
    strategy: children.get(parent) === 1 ? 'resume' : 'fork',
    resume_from: `${session}-${parent}`,
  };
}
