import { parseSync } from 'oxc-parser';

/** The `meta` of a workflow file (W-001). */
export type WorkflowMeta = {
  name: string;
  description: string;
  whenToUse?: string;
  phases: { title: string; detail?: string; model?: string }[];
};

export type ProblemKind = 'syntax' | 'meta' | 'forbidden' | 'warning';

/** What is wrong with a workflow file, and where. `column` counts from 1. */
export type Problem = { kind: ProblemKind; message: string; line: number; column: number; source: string };

/** What can be known of a workflow file without running it. */
export type Inspection = {
  meta?: WorkflowMeta;
  problems: Problem[];
  /** The body to run: the file with its `export` words blanked out, so that positions stay. */
  body: string;
  /** `default`: the file exports a function that takes all globals as one value (W-161). */
  form: 'bare' | 'default';
  counts: { calls: number; loops: number };
  /** Workflows, models and agent types that the file names as plain text. */
  children: string[];
  /** It starts a workflow whose name is only known when it runs. */
  computesChildren: boolean;
  models: string[];
  agentTypes: string[];
  usesWorktree: boolean;
};

type Node = { type: string; start: number; end: number; [field: string]: unknown };

const defaultWords = 'export default';
/** As long as `export default`, so that positions stay. */
const defaultName = '__default0001=';

const callNames = ['agent', 'panel', 'debate', 'judge', 'vote', 'ask', 'workflow'];
const loopTypes = [
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
] as const;

const knownOptions = [
  ...['label', 'phase', 'schema', 'model', 'effort', 'agentType', 'isolation', 'stallMs'],
  ...['disallowedTools', 'bashCommandClamp', 'agent'],
];

/** Names that a workflow file cannot use, with what to do instead. */
const forbiddenNames: Readonly<Record<string, string>> = {
  require: 'a workflow file has no modules; write the helper in the file.',
  process: 'pass values in with `--arg name=value`.',
  Buffer: 'use text.',
  fetch: 'ask an agent to read the page.',
  setTimeout: 'there are no timers; an agent call already waits.',
  setInterval: 'there are no timers; an agent call already waits.',
};

/** Reads a workflow file without running it. The parser is native: call this only in a process that may crash. */
export function inspect(file: string, text: string): Inspection {
  const typescript = /\.[cm]?ts$/.test(file);
  const { program, errors, module } = parseSync(typescript ? 'workflow.ts' : 'workflow.js', text, {
    sourceType: 'module',
    preserveParens: false,
    showSemanticErrors: true,
  });
  const problems: Problem[] = [];
  const problem = (kind: ProblemKind, at: number, message: string) =>
    problems.push({ kind, message, ...placeOf(text, at) });
  const isReturn = (message: string) => message.includes("'return' statement can only be used");
  for (const { message, labels } of errors)
    if (!isReturn(message)) problem('syntax', labels[0]?.start ?? 0, message);
  const statements = program.body as unknown as Node[];
  const result: Inspection = {
    problems,
    body: text,
    form: 'bare',
    counts: { calls: 0, loops: 0 },
    ...{ children: [], computesChildren: false, models: [], agentTypes: [], usesWorktree: false },
  };
  if (problems.length > 0) return result;

  const [first] = statements.filter(
    (statement) => !isTypeOnly(statement) && statement['directive'] === undefined,
  );
  const metaNode = first === undefined ? undefined : metaOf(first);
  if (metaNode === undefined)
    problem('meta', first?.start ?? 0, 'The first statement must be `export const meta = { … }`.');
  else readMeta(metaNode, result, problem);
  for (const statement of statements) {
    if (statement.type === 'ImportDeclaration' && !isTypeOnly(statement))
      problem('forbidden', statement.start, '`import` is not available: write the helper in the file.');
    if (/^Export/.test(statement.type) && statement !== first && !isTypeOnly(statement)) {
      if (statement.type === 'ExportDefaultDeclaration' && result.form === 'bare') result.form = 'default';
      else problem('forbidden', statement.start, 'Only `meta` and one default function can be exported.');
    }
  }
  for (const { start } of module.dynamicImports)
    problem('forbidden', start, '`import()` is not available: write the helper in the file.');
  const declared = declaredNames(statements);
  const guarded = guardedNames(statements);
  walk(statements, (node, parent) => look(node, parent, { declared, guarded, result, problem }));
  const titles = (result.meta?.phases ?? []).map(({ title }) => title);
  walk(statements, (node) => {
    const title = calleeName(node) === 'phase' ? literal(argumentsOf(node)[0]) : undefined;
    if (title !== undefined && titles.length > 0 && !titles.includes(title))
      problem('warning', node.start, `The phase ${JSON.stringify(title)} is not in meta.phases.`);
  });
  result.body = bodyOf(text, statements, result.form);
  return result;
}

type Looking = {
  declared: ReadonlySet<string>;
  guarded: ReadonlySet<string>;
  result: Inspection;
  problem: (kind: ProblemKind, at: number, message: string) => void;
};

function look(node: Node, parent: Node | undefined, { declared, guarded, result, problem }: Looking): void {
  if ((loopTypes as readonly string[]).includes(node.type)) result.counts.loops += 1;
  if (node.type === 'WhileStatement' && (node['test'] as Node).type === 'Literal')
    problem('warning', node.start, 'This loop has no condition that ends it; count its rounds.');
  if (node.type === 'Identifier' && isReference(node, parent)) {
    const name = String(node['name']);
    const instead = Object.hasOwn(forbiddenNames, name) ? forbiddenNames[name] : undefined;
    if (instead !== undefined && !guarded.has(name))
      problem('forbidden', node.start, `\`${name}\` is not available: ${instead}`);
  }
  // Wherever the options of a call are written.
  if (node.type === 'Property' && nameOf(node['key']) === 'isolation')
    result.usesWorktree ||= ['worktree', undefined].includes(literal(node['value'] as Node));
  if (node.type === 'MemberExpression') {
    const name = `${nameOf(node['object'])}.${nameOf(node['property'])}`;
    if (name === 'Date.now' || name === 'Math.random')
      problem(
        'warning',
        node.start,
        `\`${name}\` throws: a resumed run would see another value. Pass it in: \`--arg now=…\`.`,
      );
  }
  const name = calleeName(node);
  if (name === undefined || (declared.has(name) && name !== 'agent')) return;
  if (callNames.includes(name)) result.counts.calls += 1;
  if (name === 'workflow') {
    const child = childName(argumentsOf(node)[0]);
    if (child === undefined) result.computesChildren = true;
    else result.children.push(child);
  }
  if (name === 'parallel') {
    const [list] = argumentsOf(node);
    const items = list?.type === 'ArrayExpression' ? (list['elements'] as (Node | null)[]) : [];
    if (items.some((item) => calleeName(item ?? undefined) !== undefined))
      problem('warning', node.start, '`parallel` takes functions: write `() => agent(…)`.');
  }
  if (name === 'agent') {
    if (parent?.type === 'ExpressionStatement')
      problem('warning', node.start, 'Nothing waits for this agent: write `await agent(…)`.');
    lookAtOptions(argumentsOf(node)[1], result, problem);
  }
}

function lookAtOptions(options: Node | undefined, result: Inspection, problem: Looking['problem']): void {
  if (options?.type !== 'ObjectExpression') return;
  for (const property of options['properties'] as Node[]) {
    if (property.type !== 'Property') continue;
    const key = nameOf(property['key']);
    const value = literal(property['value'] as Node);
    if (!knownOptions.includes(key))
      problem('warning', property.start, `The option ${JSON.stringify(key)} is unknown and ignored.`);
    if (key === 'model' && value !== undefined) result.models.push(value);
    if (key === 'agentType' && value !== undefined) result.agentTypes.push(value);
    if (key === 'isolation' && value === undefined)
      problem('warning', property.start, '`isolation` is computed.');
  }
}

/** The file without its `export` words, at the same positions. */
function bodyOf(text: string, statements: readonly Node[], form: Inspection['form']): string {
  let body = text.startsWith('#!') ? blank(text, 0, text.search(/[\r\n]|$/)) : text;
  for (const statement of statements) {
    if (isTypeOnly(statement)) body = blank(body, statement.start, statement.end);
    else if (statement.type === 'ExportNamedDeclaration')
      body = blank(body, statement.start, statement.start + 'export'.length);
    else if (statement.type === 'ExportDefaultDeclaration' && form === 'default') {
      const at = statement.start;
      const words = text.slice(at, at + defaultWords.length) === defaultWords ? defaultName : undefined;
      if (words === undefined) continue;
      body = `${body.slice(0, at)}${words}${body.slice(at + words.length, statement.end)};${body.slice(statement.end)}`;
    }
  }
  return body;
}

function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n\r]/g, ' ') + text.slice(end);
}

function isTypeOnly(statement: Node): boolean {
  if (statement['importKind'] === 'type' || statement['exportKind'] === 'type') return true;
  return statement.type === 'TSTypeAliasDeclaration' || statement.type === 'TSInterfaceDeclaration';
}

/** The value of `export const meta = …`. */
function metaOf(statement: Node): Node | undefined {
  if (statement.type !== 'ExportNamedDeclaration') return undefined;
  const declaration = statement['declaration'] as Node | null;
  if (declaration?.type !== 'VariableDeclaration' || declaration['kind'] !== 'const') return undefined;
  const [declarator, ...others] = declaration['declarations'] as Node[];
  if (others.length > 0 || nameOf(declarator?.['id']) !== 'meta') return undefined;
  const value = declarator?.['init'] as Node | null;
  return value?.type.startsWith('TS') ? (value['expression'] as Node) : (value ?? undefined);
}

function readMeta(node: Node, result: Inspection, problem: Looking['problem']): void {
  let value: unknown;
  try {
    value = literalValue(node);
  } catch (error) {
    if (!(error instanceof NotLiteral)) throw error;
    problem('meta', error.node.start, '`meta` must be plain values: no variable, call, spread or template.');
    return;
  }
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  for (const field of ['name', 'description'])
    if (typeof fields[field] !== 'string' || fields[field].trim() === '')
      problem('meta', node.start, `\`meta.${field}\` must be a text that is not empty.`);
  const phases = fields['phases'] ?? [];
  const isPhase = (phase: unknown) => typeof (phase as { title?: unknown } | null)?.title === 'string';
  if (!Array.isArray(phases) || !phases.every(isPhase))
    problem('meta', node.start, '`meta.phases` must be a list of `{ title }`.');
  if (result.problems.some(({ kind }) => kind === 'meta')) return;
  const { name, description, whenToUse } = fields;
  result.meta = {
    ...{ name: String(name), description: String(description) },
    ...(typeof whenToUse === 'string' ? { whenToUse } : {}),
    phases: (phases as Record<string, unknown>[]).map(({ title, detail, model }) => ({
      title: String(title),
      ...(typeof detail === 'string' ? { detail } : {}),
      ...(typeof model === 'string' ? { model } : {}),
    })),
  };
}

class NotLiteral extends Error {
  readonly node: Node;
  constructor(node: Node) {
    super('not a literal');
    this.node = node;
  }
}

/** W-002: read from the tree, never executed. */
function literalValue(node: Node): unknown {
  if (node.type === 'Literal' && node['regex'] === undefined) return node['value'];
  if (node.type === 'TemplateLiteral' && (node['expressions'] as Node[]).length === 0)
    return literal(node) ?? '';
  if (node.type === 'UnaryExpression' && node['operator'] === '-') {
    const value = literalValue(node['argument'] as Node);
    if (typeof value === 'number') return -value;
  }
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const [left, right] = [literalValue(node['left'] as Node), literalValue(node['right'] as Node)];
    if (typeof left === 'string' && typeof right === 'string') return left + right;
  }
  if (node.type === 'ArrayExpression')
    return (node['elements'] as (Node | null)[]).map((element) => {
      if (element === null) throw new NotLiteral(node);
      return literalValue(element);
    });
  if (node.type === 'ObjectExpression')
    return Object.fromEntries(
      (node['properties'] as Node[]).map((property) => {
        const isPlain = property.type === 'Property' && property['kind'] === 'init';
        if (!isPlain || property['computed'] === true || property['method'] === true)
          throw new NotLiteral(property);
        return [nameOf(property['key']), literalValue(property['value'] as Node)];
      }),
    );
  throw new NotLiteral(node);
}

/** Names the file declares itself at its top level, which win over the globals (W-161). */
function declaredNames(statements: readonly Node[]): Set<string> {
  const names = new Set<string>();
  for (const statement of statements) {
    const declaration = (statement['declaration'] as Node | null | undefined) ?? statement;
    if (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration')
      names.add(nameOf(declaration['id']));
    if (declaration.type === 'VariableDeclaration')
      for (const declarator of declaration['declarations'] as Node[])
        walk([declarator['id'] as Node], (node) => {
          if (node.type === 'Identifier') names.add(nameOf(node));
        });
  }
  return names;
}

/**
 * Names that mean something else somewhere in the file, as a parameter or a variable, and those that it looks for with `typeof`
 * before it uses them.
 */
function guardedNames(statements: readonly Node[]): Set<string> {
  const names = new Set<string>();
  const add = (nodes: readonly Node[]) =>
    walk(nodes, (node) => {
      if (node.type === 'Identifier') names.add(nameOf(node));
    });
  walk(statements, (node) => {
    if (/Function/.test(node.type)) add(paramsOf(node));
    if (/^(?:Function|Class)/.test(node.type)) names.add(nameOf(node['id']));
    if (node.type === 'VariableDeclarator') add([node['id'] as Node]);
    if (node.type === 'CatchClause' && isNode(node['param'])) add([node['param']]);
    if (node.type === 'UnaryExpression' && node['operator'] === 'typeof') names.add(nameOf(node['argument']));
  });
  return names;
}

function paramsOf({ params }: Node): Node[] {
  return Array.isArray(params) ? params.filter(isNode) : [];
}

function walk(nodes: readonly Node[], visit: (node: Node, parent: Node | undefined) => void): void {
  const waiting: [Node, Node | undefined][] = nodes.map((node) => [node, undefined]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, parent] = next;
    visit(node, parent);
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) waiting.push([child, node]);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** Whether an identifier is a value, not for a property or a name that is being declared. */
function isReference(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return true;
  if (parent.type === 'MemberExpression' && parent['property'] === node) return parent['computed'] === true;
  if (parent.type === 'Property' && parent['key'] === node)
    return parent['computed'] === true || parent['shorthand'] === true;
  return !/Declarat|Function|Label|Method|PropertyDefinition|TS/.test(parent.type);
}

/** The name a call goes to: `agent(…)`, and `w.agent(…)` of a default function. */
function calleeName(node: Node | undefined): string | undefined {
  if (node?.type !== 'CallExpression') return undefined;
  const callee = node['callee'] as Node;
  if (callee.type === 'Identifier') return nameOf(callee);
  if (callee.type !== 'MemberExpression' || (callee['object'] as Node).type !== 'Identifier')
    return undefined;
  const name = nameOf(callee['property']);
  return callNames.includes(name) || name === 'parallel' || name === 'phase' ? name : undefined;
}

/** W-023: `workflow('name')` and `workflow({ scriptPath: 'path' })`. */
function childName(target: Node | undefined): string | undefined {
  if (target?.type !== 'ObjectExpression') return literal(target);
  const named = (target['properties'] as Node[]).find(({ key }) => nameOf(key) === 'scriptPath');
  return literal(named?.['value'] as Node | undefined);
}

function argumentsOf(node: Node): Node[] {
  return node['arguments'] as Node[];
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  return String(node['name'] ?? node['value'] ?? '');
}

function literal(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node?.type !== 'TemplateLiteral' || (node['expressions'] as Node[]).length > 0) return undefined;
  const [quasi] = node['quasis'] as { value: { cooked: string } }[];
  return quasi?.value.cooked;
}

function placeOf(text: string, at: number): Pick<Problem, 'line' | 'column' | 'source'> {
  const before = text.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  const end = text.indexOf('\n', at);
  const source = text.slice(start, end < 0 ? undefined : end).slice(0, 200);
  return { line: before.split('\n').length, column: at - start + 1, source };
}
