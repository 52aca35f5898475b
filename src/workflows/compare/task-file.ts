import type { List, ListItem, Nodes } from 'mdast';
import { CharretteError } from '../../base/errors.ts';
import { maxMarkdown, readMarkdown } from '../../base/markdown/tree.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { tidyLine, tidyProse } from '../../base/schema/primitives.ts';

/** One feature to be designed twice. */
export type CompareTask = {
  feature: string;
  /** What a good plan must reach; the judges say which plans do. */
  criteria: string[];
  /** Files that a good plan touches; the program looks whether it does. */
  files: string[];
};

export const taskLimits = { tasks: 100, featureCharacters: 20_000, criteria: 50, files: 200 } as const;

/**
 * Reads a file of tasks. JSON: an array of texts or of `{feature, criteria?, files?}`, or `{tasks: […]}`. Anything else is
 * Markdown: every item of a list is a task and its sub-items are its criteria; without a list every line is a task, except
 * blank ones, headings and `#` comments.
 */
export function readTasks(text: string, name: string): CompareTask[] {
  const isJson = /^\s*[[{]/.test(text) && !/^\s*\[[ xX]\]\s+\S/.test(text);
  const tasks = isJson ? fromJson(text, name) : fromText(text, name);
  if (tasks.length === 0) refuse(`${name} holds no task.`);
  if (tasks.length > taskLimits.tasks)
    refuse(`${name} holds ${tasks.length} tasks; at most ${taskLimits.tasks} can be compared in one run.`);
  const seen = new Map<string, number>();
  for (const [index, task] of tasks.entries()) {
    check(task, index + 1, name);
    const before = seen.get(task.feature);
    if (before !== undefined) refuse(`Tasks ${before} and ${index + 1} of ${name} are the same.`);
    seen.set(task.feature, index + 1);
  }
  return tasks;
}

function check({ feature, criteria, files }: CompareTask, number: number, name: string): void {
  if (feature === '') refuse(`Task ${number} of ${name} is empty.`);
  if (feature.length > taskLimits.featureCharacters)
    refuse(
      `Task ${number} of ${name} has ${feature.length} characters; at most ${taskLimits.featureCharacters} are read.`,
    );
  if (criteria.length > taskLimits.criteria || files.length > taskLimits.files)
    refuse(
      `Task ${number} of ${name} has ${criteria.length} criteria and ${files.length} files; at most ${taskLimits.criteria} and ${taskLimits.files} are read.`,
    );
}

function fromJson(text: string, name: string): CompareTask[] {
  const reading = readJson(text);
  if (!reading.ok) refuse(`${name} is not valid JSON: ${reading.message}`);
  const value: unknown = reading.value;
  const list = isRecord(value) ? value['tasks'] : value;
  if (!Array.isArray(list)) refuse(`${name} is neither a JSON array nor an object with \`tasks\`.`);
  return list.map((entry, index): CompareTask => {
    if (typeof entry === 'string') return { feature: tidyProse(entry), criteria: [], files: [] };
    if (!isRecord(entry) || typeof entry['feature'] !== 'string')
      refuse(`Task ${index + 1} of ${name} is neither a text nor an object with \`feature\`.`);
    const unknown = Object.keys(entry).filter((key) => !['feature', 'criteria', 'files'].includes(key));
    if (unknown.length > 0)
      refuse(
        `Task ${index + 1} of ${name} has unknown keys: ${unknown.join(', ')}; there are feature, criteria and files.`,
      );
    return {
      feature: tidyProse(entry['feature']),
      criteria: texts(entry['criteria'], 'criteria', index + 1, name),
      files: texts(entry['files'], 'files', index + 1, name),
    };
  });
}

function texts(value: unknown, key: string, number: number, name: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string' && each.trim() !== ''))
    refuse(`\`${key}\` of task ${number} of ${name} is not a list of texts.`);
  return value.map((each) => tidyLine(each));
}

function fromText(text: string, name: string): CompareTask[] {
  const tree = readMarkdown(text);
  if (tree === undefined)
    refuse(
      `${name} has ${text.length} characters; Markdown is read up to ${maxMarkdown}, JSON without a limit.`,
    );
  const lists = tree.children.filter((node): node is List => node.type === 'list');
  if (lists.length > 0) return lists.flatMap((list) => list.children.map(fromItem));
  return text
    .split('\n')
    .map((line) => tidyLine(line))
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((feature) => ({ feature, criteria: [], files: [] }));
}

function fromItem(item: ListItem): CompareTask {
  const own = item.children.filter((node) => node.type !== 'list');
  const nested = item.children.filter((node): node is List => node.type === 'list');
  const words = own.map((node) => textOf(node)).join('\n\n');
  return {
    feature: tidyProse(words.replace(/^\[[ xX]\]\s+/, '')),
    criteria: nested.flatMap((list) => list.children.map((each) => tidyLine(textOf(each)))).filter(Boolean),
    files: [],
  };
}

function textOf(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map((child) => textOf(child)).join('') : '';
}

function refuse(message: string): never {
  throw new CharretteError({
    code: 'tasks-invalid',
    message,
    fix: 'Write one task per line, a Markdown list (sub-items are criteria), or JSON: [{"feature": "…", "criteria": ["…"], "files": ["…"]}].',
  });
}
