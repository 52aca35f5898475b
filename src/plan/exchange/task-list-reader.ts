import type { Heading, List, ListItem, Nodes, Parents, Root, RootContent } from 'mdast';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { readMarkdownSource } from '../../base/markdown/tree.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { type OutlineReading, oneLine } from './outline.ts';
import { keyOf, type ListedTask, outlineListed, textOf } from './task-lines.ts';

const longestList = 1_000_000;

/** A task where it was found; the part of the source that is its own. */
type Found = ListedTask & { start: number; end: number };

/**
 * Reads a Markdown task list: each `Task N: title` heading, or where there is none each box, is a task. Boxes below those are steps.
 * Ticked tasks are kept as done. All text of a task goes to its description, all other text to the approach. `undefined`: no task list.
 */
export function readTaskList(text: string, name: string): OutlineReading | undefined {
  const plain = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const read = readMarkdownSource(
    plain,
    { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] },
    longestList,
  );
  if (read === undefined) {
    if (!/^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s/m.test(plain)) return undefined;
    throw planInvalid([
      `${name} has ${plain.length} characters and cannot be read as a task list; split it into smaller files`,
    ]);
  }
  const { tree, source } = read;
  const headed = headedTasks(tree, source);
  const found = headed.length > 0 ? headed : boxedTasks(tree, source);
  if (found.length === 0) return undefined;
  if (found.every(({ done }) => done)) throw planInvalid([`every task in ${name} is ticked off`]);
  const isNumbered = found.every(({ key }) => key !== undefined);
  const numberOf = new Map(
    found
      .map(({ key }, index) => [isNumbered ? (key ?? '') : String(index + 1), index + 1] as const)
      .toReversed(),
  );
  const tasks = found.map((each, index) => outlineListed(each, index + 1, { isNumbered, numberOf }));
  const first = tree.children.find((node): node is Heading => node.type === 'heading' && node.depth === 1);
  const title = oneLine(first === undefined || isTaskHeading(first) ? '' : textOf(first)) || name;
  const doneCount = found.filter(({ done }) => done).length;
  return {
    outline: {
      title,
      summary: title,
      approach: outside(source, [...found, ...(first === undefined ? [] : [rangeOf(first)])]) || title,
      date: '1970-01-01',
      decisions: [],
      edgeCases: [],
      tasks,
    },
    notes: [
      ...(doneCount === 0 ? [] : [`${doneCount} of ${found.length} tasks are ticked off and stay completed`]),
      ...(isNumbered ? ['numbered tasks without "Depends on" follow one another'] : []),
    ],
  };
}

const headingPattern =
  /^(?:\[([ xX])\]\s*)?Task[\s-]*#?(\d+(?:\.\d+)*)(?:\s*[:.)]\s*|\s+-\s+|\s*[–—]\s*|$)(.*)$/is;
const doneMark = /\s*(?:✅|☑️?|\[x\]|\((?:done|completed?)\))\s*$/iu;

const isTaskHeading = (node: Nodes): node is Heading =>
  node.type === 'heading' && headingPattern.test(oneLine(textOf(node)));

/** A task heading with all up to the next heading of its level; task headings below it belong to it. */
function headedTasks({ children }: Root, source: string): Found[] {
  const found: Found[] = [];
  for (let at = 0; at < children.length; ) {
    const heading = children[at];
    at += 1;
    if (heading === undefined || !isTaskHeading(heading)) continue;
    const nodes: RootContent[] = [];
    for (let next = children[at]; next !== undefined; next = children[at]) {
      if (next.type === 'heading' && next.depth <= heading.depth) break;
      nodes.push(next);
      at += 1;
    }
    const [, mark = '', number = '', words = ''] = headingPattern.exec(oneLine(textOf(heading))) ?? [];
    const title = words.replace(doneMark, '');
    const boxes = nodes.flatMap(boxesIn);
    const { start } = rangeOf(heading);
    const last = nodes.at(-1) ?? heading;
    const { end } = rangeOf(last);
    found.push({
      nodes,
      start,
      end,
      title: title || `Task ${number}`,
      description: source.slice(rangeOf(heading).end, end).trim() || title || `Task ${number}`,
      key: keyOf(number),
      done:
        mark.toLowerCase() === 'x' ||
        doneMark.test(words) ||
        (boxes.length > 0 && boxes.every(({ checked }) => checked === true)),
    });
  }
  return found;
}

const numberPrefix = /^(?:(?:Task[\s-]*|T)(\d+(?:\.\d+)*)[.):]?|(\d+(?:\.\d+)*)[.):]|(\d+(?:\.\d+)+))\s+/i;
/** `(depends on T001)`, or `(wave 2, after T001)` in an exported issue. */
const trailing = /\s*\((?:wave \d+|(?:wave \d+, )?(?:depends on|after) ([\w #,.&-]+))\)\s*$/i;

/** Every box that is not below another box. */
function boxedTasks(tree: Root, source: string): Found[] {
  const boxes = boxesIn(tree);
  const folded = foldedParts(tree);
  const outer = boxes.filter((box) => !folded.some((part) => isInside(box.item, part)));
  const prefixes = outer.map(({ item }) => numberPrefix.exec(textOf(item.children[0] ?? item)));
  const allPrefixed = prefixes.every((match) => match !== null);
  return outer.map(({ item, list, checked }, index) => {
    const { start, end } = rangeOf(item);
    const description = ownText(source.slice(start, end));
    const line = oneLine(textOf(item.children[0] ?? item).split('\n')[0] ?? '');
    const prefix = allPrefixed ? prefixes[index] : null;
    const title = line.slice(prefix?.[0].length ?? 0).replace(trailing, '');
    const ordinal =
      list.ordered === true ? String((list.start ?? 1) + list.children.indexOf(item)) : undefined;
    const number = prefix?.[1] ?? prefix?.[2] ?? prefix?.[3] ?? ordinal;
    const key = number === undefined ? undefined : keyOf(number);
    const part = folded.find((each) => each.key === key);
    return {
      nodes: [...item.children, ...(part?.nodes ?? [])],
      start,
      end,
      title: title || line,
      description:
        part === undefined ? description : `${description}\n\n${source.slice(part.start, part.end).trim()}`,
      key,
      done: checked,
      after: trailing.exec(line)?.[1],
    };
  });
}

/** The text of an item without its mark, its box and the indent of its further lines. */
function ownText(item: string): string {
  const [first = '', ...rest] = item.split('\n');
  const indent = /^(?:[-*+]|\d+[.)])[ \t]+/.exec(first)?.[0].length ?? 0;
  const words = first.slice(indent).replace(/^\[[ xX]\]\s+/, '');
  const margin = Math.min(
    ...rest.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)?.[0].length ?? 0),
  );
  return [words, ...rest.map((line) => line.slice(margin))].join('\n').trim();
}

/** What the tasks leave of a text. */
function outside(source: string, ranges: readonly { start: number; end: number }[]): string {
  let [at, kept] = [0, ''];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    kept += source.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  const lines = `${kept}${source.slice(at)}`.split('\n').map((line) => (/^[\s>]*$/.test(line) ? '' : line));
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const rangeOf = ({ position }: Nodes) => ({
  start: position?.start.offset ?? 0,
  end: position?.end.offset ?? 0,
});

type Folded = { key: string; nodes: RootContent[]; start: number; end: number };

/** What an exported issue folds away below `<summary>T001 …`: the detail of a task. */
function foldedParts({ children }: Root): Folded[] {
  const found: Folded[] = [];
  let open: Folded | undefined;
  for (const node of children) {
    const html = node.type === 'html' ? node.value : '';
    const key = /<summary>\s*T(\d+)\b/i.exec(html)?.[1];
    if (key !== undefined) {
      open = { key: keyOf(key), nodes: [], start: rangeOf(node).end, end: rangeOf(node).end };
      continue;
    }
    if (open !== undefined && html.includes('</details')) {
      found.push(open);
      open = undefined;
    }
    open?.nodes.push(node);
    if (open !== undefined) open.end = rangeOf(node).end;
  }
  return found;
}

const isInside = (node: Nodes, part: { start: number; end: number }) => {
  const { start, end } = rangeOf(node);
  return start >= part.start && end <= part.end;
};

type Box = { item: ListItem; list: List; checked: boolean };

function boxesIn(node: Nodes): Box[] {
  if (node.type !== 'list') return 'children' in node ? (node as Parents).children.flatMap(boxesIn) : [];
  return node.children.flatMap((item) => {
    if (typeof item.checked === 'boolean') return [{ item, list: node, checked: item.checked }];
    refuseOddBox(item);
    return item.children.flatMap(boxesIn);
  });
}

/** A box that is neither open nor ticked would otherwise pass for prose. */
function refuseOddBox(item: ListItem): void {
  const box = /^\[(?:[ xX]?\]\s*$|([-~/>!?])\]\s)/.exec(textOf(item.children[0] ?? item));
  if (box === null) return;
  const line = item.position?.start.line ?? 0;
  throw planInvalid([
    box[1] === undefined
      ? `line ${line}: a box without a task`
      : `line ${line}: the box "[${box[1]}]" is neither "[ ]" (open) nor "[x]" (done)`,
  ]);
}
