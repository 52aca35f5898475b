import type { Task } from './tasks.ts';

const filesField = /^[ \t]*(?:[-*][ \t]+)?\*\*Files?(?: to [a-z ]{2,20})?(?:\s*:\s*\*\*|\*\*\s*:)\s*(.*)$/im;
const dependsField =
  /^[ \t]*(?:[-*][ \t]+)?\*\*(?:Depends on|Dependencies|Depends|Blocked by)(?:\s*:\s*\*\*|\*\*\s*:)\s*(.*)$/im;

/** T-010: where a task says that the work happens, as it words it; a reader has to check the paths. */
export function taskFiles({ text }: Pick<Task, 'text'>): string[] {
  const value = filesField.exec(text)?.[1] ?? '';
  return value
    .split(/[,;]/)
    .map((piece) => /^[\s`*]*([^\s`*()]+)/.exec(piece)?.[1] ?? '')
    .filter((name) => /[./]/.test(name));
}

/** Which tasks must be done before; `undefined` when the task does not say, so that nothing is assumed. */
export function taskDependencies(
  { text }: Pick<Task, 'text'>,
  numbers: readonly string[],
): string[] | undefined {
  const value = dependsField.exec(text)?.[1];
  if (value === undefined) return undefined;
  const named = value.split(/[\s,;()]+/).map((word) => word.replace(/^T-?(?=\d)/i, '').replace(/[.:]$/, ''));
  const known = numbers.filter((number) => named.includes(number));
  if (known.length > 0) return known;
  return /^\s*(?:none|nothing|[-–—])/i.test(value) ? [] : undefined;
}

/** Tasks that are executed: a task that contains others is only their heading. */
export function leafTasks(tasks: readonly Task[]): Task[] {
  return tasks.filter((task) => {
    const end = task.line + task.text.split('\n').length - 1;
    return !tasks.some((other) => other.line > task.line && other.line <= end && other.level > task.level);
  });
}

/** Numbers name tasks in records and commits: a number that was given before gets a count behind it. */
export function withUniqueNumbers(tasks: readonly Task[]): Task[] {
  const given = new Set<string>();
  return tasks.map((task) => {
    let number = task.number;
    for (let count = 2; given.has(number); count += 1) number = `${task.number}-${count}`;
    given.add(number);
    return number === task.number ? task : { ...task, number };
  });
}
