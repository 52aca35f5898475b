import { parseSync } from 'oxc-parser';

type Node = { type: string; start: number; end: number; [key: string]: unknown };

export type Instrumented = { code: string; counters: number; words: string[] };

/** Name of the array of counters in instrumented code; a byte for every branch. */
export const counterArray = '__fuzzCounters';

/**
 * JavaScript that counts which of its branches are taken: functions, both sides of decisions, loops, cases, handlers. Lines
 * stay where they are. The words are the texts in the code: what a parser looks for is likely among them.
 */
export function instrument(file: string, source: string, firstCounter: number): Instrumented {
  const { program, errors } = parseSync(file, source, { lang: 'js', sourceType: 'module' });
  if (errors.length > 0) return { code: source, counters: 0, words: [] };
  const opening = new Map<number, string>();
  const closing = new Map<number, string>();
  const words = new Set<string>();
  let counters = 0;
  const add = (map: Map<number, string>, at: number, text: string) => map.set(at, (map.get(at) ?? '') + text);
  const count = () => `${counterArray}[${firstCounter + counters++}]++`;

  // A value becomes `(count, value)`, a statement `{count; statement}`, a block counts at its beginning.
  const wrap = (node: unknown, open: (counter: string) => string, close: string) => {
    if (!isNode(node)) return;
    add(opening, node.start, open(count()));
    pending.push([node, close]);
  };
  const pending: [Node, string][] = [];
  const value = (node: unknown) => wrap(node, (counter) => `(${counter},`, ')');
  const statement = (node: unknown) => {
    if (!isNode(node)) return;
    if (node.type === 'BlockStatement') add(opening, node.start + 1, `${count()};`);
    else if (node.type !== 'IfStatement') wrap(node, (counter) => `{${counter};`, '}');
  };
  const visit = (node: Node) => {
    branchesOf(node, value, statement, (at) => add(opening, at, `${count()};`));
    const text = wordOf(node);
    if (text !== undefined) for (const word of [text, ...text.split(/[|\n]/)]) words.add(word);
    for (const key in node) {
      const child = node[key];
      if (Array.isArray(child)) {
        for (const entry of child) if (isNode(entry)) visit(entry);
      } else if (isNode(child)) visit(child);
    }
    // Inner values close before outer ones that end at the same place.
    for (const [wrapped, close] of pending) if (wrapped === node) add(closing, node.end, close);
  };
  visit(program as unknown as Node);
  const places = [...new Set([...opening.keys(), ...closing.keys()])].sort((one, two) => one - two);
  let code = '';
  let last = 0;
  for (const place of places) {
    code += source.slice(last, place) + (closing.get(place) ?? '') + (opening.get(place) ?? '');
    last = place;
  }
  const useful = [...words].filter((word) => word.length > 0 && word.length <= 40);
  return { code: code + source.slice(last), counters, words: useful };
}

function branchesOf(
  node: Node,
  value: (node: unknown) => void,
  statement: (node: unknown) => void,
  here: (at: number) => void,
): void {
  switch (node.type) {
    case 'ArrowFunctionExpression':
      if (isNode(node['body']) && node['body'].type !== 'BlockStatement') value(node['body']);
      else blockStart(node['body'], here);
      break;
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      blockStart(node['body'], here);
      break;
    case 'CatchClause':
      statement(node['body']);
      break;
    case 'IfStatement':
      statement(node['consequent']);
      statement(node['alternate']);
      break;
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
    case 'ForOfStatement':
    case 'ForInStatement':
      statement(node['body']);
      break;
    case 'SwitchCase': {
      const [first] = node['consequent'] as unknown[];
      if (isNode(first)) here(first.start);
      break;
    }
    case 'ConditionalExpression':
      value(node['consequent']);
      value(node['alternate']);
      break;
    case 'LogicalExpression':
      value(node['right']);
      break;
  }
}

function blockStart(body: unknown, here: (at: number) => void): void {
  if (isNode(body) && body.end > body.start) here(body.start + 1);
}

function wordOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateElement') return undefined;
  return (node['value'] as { cooked?: string }).cooked;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
