import { pathsIn } from '../../base/text/citations.ts';
import { readFrontMatter } from '../../base/text/frontmatter.ts';
import { readItems, readSections, toLines } from '../../base/text/labelled-block.ts';
import { replaceBetween } from '../../base/text/strings.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { emptyTask, type OutlineReading, type OutlineTask, oneLine } from './outline.ts';
import { because, specKitPlanTitles, unescapeTitle } from './spec-kit-writer.ts';
import { addQuoted, readDetail, unquoted } from './task-lines.ts';

type PhasedTask = {
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
function orderOf(tasks: readonly PhasedTask[], explicit: boolean): Map<number, number[]> {
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

const taskLine = /^\s*[-*]\s*\[([ xX])\]\s+T(\d{1,5})\b\s*(.*)$/s;

/** The files of a `specs/NNN-name/` folder by name. */
type SpecKitFiles = { tasks: string; plan?: string; spec?: string };

/** Whether a text has tasks of spec-kit. */
export const isSpecKit = (text: string) => toLines(text).some((line) => taskLine.test(line));

/** Reads a feature folder of GitHub spec-kit, also one that another tool wrote. Ticked tasks are kept as done. */
export function readSpecKit(
  { tasks: tasksText, plan = '', spec = '' }: SpecKitFiles,
  name: string,
): OutlineReading {
  const { data, body } = readFrontMatter(tasksText);
  const explicit = data['dependencies'] === 'explicit';
  const found = readTasks(toLines(body), explicit);
  if (found.length === 0) throw planInvalid(['tasks.md has no line of the form "- [ ] T001 Description"']);
  const order = orderOf(found, explicit);
  const open = found.filter(({ done }) => !done);
  if (open.length === 0) throw planInvalid(['everything in tasks.md is ticked off']);
  const tasks = found
    .toSorted((a, b) => a.task.number - b.task.number)
    .map(({ task, done }) => ({
      ...task,
      dependsOn: order.get(task.number) ?? [],
      ...(done ? { done } : {}),
    }));
  const last = tasks.findLast((task) => task.done !== true);
  const criteria = new Set(tasks.flatMap((task) => task.criteria));
  for (const outcome of success(spec)) if (!criteria.has(outcome)) last?.criteria.push(outcome);
  const sections = readSections(plan, specKitPlanTitles).sections;
  const title =
    heading(tasksText, 'Tasks') ??
    heading(plan, 'Implementation Plan') ??
    heading(spec, 'Feature Specification') ??
    name;
  const summary = sections.get('Summary') ?? title;
  return {
    outline: {
      title,
      summary,
      approach: sections.get('Approach') ?? sections.get('Technical Context') ?? summary,
      date: /\*\*(?:Date|Created)\*\*:\s*(\d{4}-\d{2}-\d{2})/.exec(`${plan}\n${spec}`)?.[1] ?? '1970-01-01',
      decisions: readItems(sections.get('Design Decisions') ?? '').map(readDecision),
      edgeCases: edgeCasesOf(spec),
      tasks,
    },
    notes: [
      ...(open.length === found.length
        ? []
        : [`${found.length - open.length} of ${found.length} tasks are ticked off and stay completed`]),
      ...(explicit ? [] : ['the order was taken from phases, [P] marks and "depends on"']),
    ],
  };
}

function readTasks(lines: readonly string[], explicit: boolean): PhasedTask[] {
  const found: PhasedTask[] = [];
  let phase = '';
  let current: PhasedTask | undefined;
  const finish = () => {
    if (current !== undefined) settle(current.task, explicit);
    current = undefined;
  };
  for (const line of lines) {
    const title = /^##\s+(.*)$/s.exec(line)?.[1];
    if (title !== undefined) {
      finish();
      phase = title;
      continue;
    }
    const match = taskLine.exec(line);
    if (match !== null) {
      finish();
      const [, mark = ' ', number = '0', rest = ''] = match;
      current = { ...readTaskLine(Number(number), rest), phase, done: mark !== ' ' };
      found.push(current);
      continue;
    }
    if (current === undefined || line.trim() === '') continue;
    const text = unquoted(line);
    if (text !== undefined && /^\s/.test(line)) addQuoted(current.task, text);
    else if (/^\s+[-*]\s/.test(line)) readBullet(current.task, line.replace(/^\s+[-*]\s+/, ''));
    else if (/^\s/.test(line)) addQuoted(current.task, line.trim());
    else {
      const test = /^\*\*Checkpoint\*\*:\s*(.+)$/s.exec(line)?.[1];
      if (test !== undefined) current.task.criteria.push(oneLine(test));
      finish();
    }
  }
  finish();
  return found;
}

function readTaskLine(number: number, rest: string): Pick<PhasedTask, 'task' | 'parallel' | 'after'> {
  // One blank for many: the pattern below would otherwise be quadratic.
  const marks = /^((?:\[(?:P|US\d+)\]\s*)*)(.*)$/.exec(rest.replace(/\s+/g, ' '));
  const depends = /^(.*?)(?<!\\)\s*\(depends on ((?:T\d+(?:,\s*|\s+and\s+|\s*&\s*)?)+)\)\s*$/i.exec(
    marks?.[2] ?? '',
  );
  const after = [...(depends?.[2] ?? '').matchAll(/T(\d+)/g)].map(([, digits]) => Number(digits));
  const title = unescapeTitle(oneLine(depends?.[1] ?? marks?.[2] ?? ''));
  return { task: emptyTask(number, title || `T${number}`), parallel: /\[P\]/.test(marks?.[1] ?? ''), after };
}

/** A bullet below a task says something known, or is a step. */
function readBullet(task: OutlineTask, text: string): void {
  if (!readDetail(task, text))
    task.steps.push(oneLine(text.replace(/^\[([ xX])\]\s*/, (_, mark) => (mark === ' ' ? '' : '(done) '))));
}

/** A path at the end of our own lines repeats the first file; in other lines it is all that is known of files. */
function settle(task: OutlineTask, explicit: boolean): void {
  const [first] = task.files;
  if (first !== undefined) {
    const suffix = ` in ${first.path}`;
    if (task.title.endsWith(suffix)) task.title = task.title.slice(0, -suffix.length);
    return;
  }
  if (explicit) return;
  const paths = [...new Set(pathsIn(task.title).map(({ path }) => path))];
  task.files.push(...paths.map((path) => ({ path })));
}

function success(spec: string): string[] {
  return [...spec.matchAll(/^-\s+\*\*SC-\d+\*\*:\s*(.+)$/gm)].map(([, text = '']) => oneLine(text));
}

function edgeCasesOf(spec: string): string[] {
  const body = /^### Edge Cases\s*$([\s\S]*?)(?=^#{1,3} |(?![\s\S]))/m.exec(spec)?.[1] ?? '';
  return readItems(replaceBetween(body, '<!--', '-->', () => '').trim()).map(oneLine);
}

function heading(text: string, kind: string): string | undefined {
  const title = new RegExp(`^# ${kind}: (.+)$`, 'm').exec(text)?.[1]?.trim();
  return title === '' ? undefined : title;
}

export function readDecision(item: string): { decision: string; rationale: string } {
  const text = oneLine(item);
  const at = text.indexOf(because);
  return at < 0
    ? { decision: text, rationale: 'not stated' }
    : { decision: text.slice(0, at), rationale: text.slice(at + because.length) };
}
