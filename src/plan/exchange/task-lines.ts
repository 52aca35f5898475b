import type { Nodes, Parents } from 'mdast';
import { taskActions } from '../../base/schema/lite/plan.ts';
import { pathsIn } from '../../base/text/citations.ts';
import { splitLabel } from '../../base/text/labelled-block.ts';
import { leadsOut, plainPath } from '../../base/text/strings.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { emptyTask, type OutlineFile, type OutlineTask, oneLine } from './outline.ts';

/** A task of a Markdown list: its blocks, and how the text names it. */
export type ListedTask = {
  nodes: readonly Nodes[];
  title: string;
  description: string;
  /** Its number in the text, if it has one: `3`, `2.1`. */
  key: string | undefined;
  done: boolean;
  /** The tasks that its own line names as dependencies. */
  after?: string | undefined;
};

type ListFacts = { isNumbered: boolean; numberOf: ReadonlyMap<string, number> };

/** What a task says in labelled lines, in steps and in paths. Numbered tasks that name no dependency follow one another. */
export function outlineListed(listed: ListedTask, number: number, facts: ListFacts): OutlineTask {
  const { nodes, title, description, done, after } = listed;
  const task: OutlineTask = { ...emptyTask(number, title), description, ...(done ? { done } : {}) };
  const lines = nodes.flatMap((node) => linesOf(node));
  const hasBoxes = lines.some(({ box, text }) => box !== undefined && !isLabelled(text));
  const named: OutlineFile[] = [];
  const references = after === undefined ? [] : [after];
  for (const { text, box, isItem } of lines) {
    const { label = '', rest = '' } = splitLabel(text) ?? {};
    const action = fileActions.get(label.toLowerCase());
    if (dependencyLabel.test(label) && isReference(rest)) references.push(rest);
    else if (action !== undefined && filesIn(rest).length > 0)
      named.push(...filesIn(rest).map((file) => ({ ...file, action })));
    else if (!readDetail(task, text) && (box !== undefined || (isItem && !hasBoxes)))
      task.steps.push(box === true ? `(done) ${text}` : text);
  }
  // An exported issue repeats the lines of a description as steps and criteria.
  for (const key of ['steps', 'criteria', 'tests', 'commands'] as const) task[key] = [...new Set(task[key])];
  const files = [...task.files, ...named, ...filesIn([title, ...nodes.map(textOf)].join('\n'))];
  task.files = [...new Map(files.toReversed().map((file) => [file.path, file])).values()].toReversed();
  const follows = facts.isNumbered && references.length === 0 && number > 1;
  task.dependsOn = follows ? [number - 1] : dependenciesIn(references, title, facts);
  return task;
}

const dependencyLabel = /^(?:depends on|dependencies|blocked by)$/i;
const fileActions = new Map<string, 'create' | 'modify' | 'delete'>([
  ['create', 'create'],
  ['modify', 'modify'],
  ['delete', 'delete'],
]);

/** `Task 1, T002 and 3`, or `none`; anything else is prose about dependencies. */
function isReference(text: string): boolean {
  const words = text.split(/[\s,&#]+/).filter((word) => word !== '');
  const isNone = words.length === 1 && /^(?:none|nothing|-)\.?$/i.test(text.trim());
  const isNamed = words.every((word) => /^(?:tasks?|and|(?:t|task-)?\d+(?:\.\d+)*\.?)$/i.test(word));
  return isNone || (isNamed && /\d/.test(text));
}

function dependenciesIn(references: readonly string[], title: string, { numberOf }: ListFacts): number[] {
  const keys = references.flatMap((text) => text.match(/\d+(?:\.\d+)*/g) ?? []).map(keyOf);
  return [...new Set(keys)].map((key) => {
    const number = numberOf.get(key);
    if (number !== undefined) return number;
    throw planInvalid([
      `"${title}" depends on ${key}; the tasks are ${[...numberOf.keys()].toReversed().join(', ')}`,
    ]);
  });
}

/** `001` and `1` name the same task. */
export const keyOf = (number: string) => number.replace(/(?<![\d])0+(?=\d)/g, '');

type Line = { text: string; box?: boolean; isItem: boolean };

/** Lines of prose, and items of lists as one line each. */
function linesOf(node: Nodes, depth = 0): Line[] {
  if (node.type === 'paragraph')
    return textOf(node)
      .split('\n')
      .map((line) => ({ text: oneLine(line), isItem: false }));
  if (node.type === 'listItem') {
    const [first, ...rest] = node.children;
    const own = first?.type === 'paragraph' ? oneLine(textOf(first)) : '';
    const box = typeof node.checked === 'boolean' ? { box: node.checked } : {};
    return [
      ...(own === '' ? [] : [{ text: own, ...box, isItem: depth === 1 }]),
      ...(own === '' ? node.children : rest).flatMap((child) => linesOf(child, depth)),
    ];
  }
  if (node.type === 'list') return node.children.flatMap((item) => linesOf(item, depth + 1));
  return 'children' in node ? (node as Parents).children.flatMap((child) => linesOf(child, depth)) : [];
}

/** Paths in prose. Code blocks are left out by `textOf`: they name modules, not files of the task. */
function filesIn(text: string): OutlineFile[] {
  const paths = pathsIn(text).map(({ path }) => plainPath(path));
  // `Node.js` is a product unless it is marked as code.
  const isFile = (path: string) => !/^[A-Z][A-Za-z0-9]*\.js$/.test(path) || text.includes(`\`${path}\``);
  return [...new Set(paths)].filter((path) => !leadsOut(path) && isFile(path)).map((path) => ({ path }));
}

/** The words of a node without emphasis, links and code blocks; code in a line keeps its backticks. */
export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (node.type === 'inlineCode') return `\`${node.value}\``;
  if (node.type === 'break') return '\n';
  if (!('children' in node)) return '';
  const isBlock = node.type === 'list' || node.type === 'listItem' || node.type === 'blockquote';
  return (node as Parents).children.map(textOf).join(isBlock ? '\n' : '');
}

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

/** Everything of a task except steps and criteria, one labelled line each. */
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
