import { taskActions } from '../../base/schema/lite/plan.ts';
import { type OutlineFile, type OutlineTask, oneLine } from './outline.ts';

/** Labels of the lines below a task; people may write them too. */
const labels = {
  action: 'Action',
  file: 'File',
  step: 'Step',
  criterion: 'Done when',
  test: 'Test',
  command: 'Run',
  risk: 'Risk',
  why: 'Why',
  exclude: 'Leave alone',
} as const;

type Label = keyof typeof labels;

const labelOf = new Map(Object.entries(labels).map(([key, text]) => [text.toLowerCase(), key as Label]));
const labelled = new RegExp(`^(${Object.values(labels).join('|')}):\\s+(.+)$`, 'is');
const remedy = ' Remedy: ';

/** What a task says beside its steps and criteria, one labelled line each. */
export function detailLines({ action, files, tests, commands, risks, why, excludes }: OutlineTask): string[] {
  return [
    ...(action === undefined ? [] : [`${labels.action}: ${action}`]),
    ...files.map((file) => `${labels.file}: ${fileText(file)}`),
    ...(why === undefined ? [] : [`${labels.why}: ${why}`]),
    ...excludes.map((text) => `${labels.exclude}: ${text}`),
    ...risks.map(({ description, mitigation }) => `${labels.risk}: ${description}${remedy}${mitigation}`),
    ...tests.map((text) => `${labels.test}: ${text}`),
    ...commands.map((text) => `${labels.command}: ${text}`),
  ];
}

export const stepLine = (text: string) => `${labels.step}: ${text}`;
export const criterionLine = (text: string) => `${labels.criterion}: ${text}`;
export const isLabelled = (text: string) => labelled.test(text);

/** Puts what a labelled line says into the task; false for a line without a label. */
export function readDetail(task: OutlineTask, line: string): boolean {
  const [, name = '', raw = ''] = labelled.exec(line.trim()) ?? [];
  const text = oneLine(raw);
  const label = labelOf.get(name.toLowerCase());
  if (label === undefined || text === '') return false;
  readers[label](task, text);
  return true;
}

const readers: Readonly<Record<Label, (task: OutlineTask, text: string) => void>> = {
  action: (task, text) => {
    const action = taskActions.find((each) => each.toLowerCase() === text.toLowerCase());
    if (action !== undefined) task.action = action;
  },
  file: (task, text) => void task.files.push(readFile(text)),
  step: (task, text) => void task.steps.push(text),
  criterion: (task, text) => void task.criteria.push(text),
  test: (task, text) => void task.tests.push(text),
  command: (task, text) => void task.commands.push(text),
  risk: (task, text) => {
    const at = text.lastIndexOf(remedy);
    task.risks.push({
      description: at < 0 ? text : text.slice(0, at),
      mitigation: at < 0 ? 'none is named' : text.slice(at + remedy.length),
    });
  },
  why: (task, text) => {
    task.why = text;
  },
  exclude: (task, text) => void task.excludes.push(text),
};

function fileText({ path, action, change }: OutlineFile): string {
  return `${action === undefined ? '' : `${action} `}\`${path}\`${change === undefined ? '' : `: ${change}`}`;
}

function readFile(text: string): OutlineFile {
  const [, action, path, change] = /^(?:(create|modify|delete) )?`([^`]+)`(?::\s*(.+))?$/i.exec(text) ?? [];
  if (path === undefined) return { path: text.replaceAll('`', '') };
  return {
    path,
    ...(action === undefined ? {} : { action: action.toLowerCase() as 'create' | 'modify' | 'delete' }),
    ...(change === undefined ? {} : { change }),
  };
}

/** A text of several lines as a quotation, which no reader takes for tasks or headings. */
export function quoted(text: string, indent = ''): string[] {
  return text === ''
    ? []
    : text.split('\n').map((line) => (line === '' ? `${indent}>` : `${indent}> ${line}`));
}

/** The line of a quotation without its mark; `undefined` for any other line. */
export function unquoted(line: string): string | undefined {
  return /^\s*> ?(.*)$/.exec(line)?.[1];
}

/** Later lines of a quotation go below the earlier ones. */
export function addQuoted(task: OutlineTask, line: string): void {
  task.description = task.description === '' ? line : `${task.description}\n${line}`;
}
