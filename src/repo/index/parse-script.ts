import { parseSync } from 'oxc-parser';

/** What one JavaScript or TypeScript module takes from others and gives to them. */
export type ModuleLinks = { imports: ModuleImport[]; exports: string[] };

export type ModuleImport = { specifier: string; names: string[] };

const parserLimit = 400_000;

// The parser is native: code nested some thousand levels deep ends its process, and some code takes it years. What others
// wrote goes to the process of script-reader.ts first; what came back from there may be parsed here as well.

/** Imports and exports of a module. A file that does not parse has none. */
export function readModuleLinks(path: string, text: string): ModuleLinks {
  if (text.length > parserLimit) return { imports: [], exports: [] };
  const { module } = parseSync(path, text);
  const imports: ModuleImport[] = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    names: entries.flatMap(({ importName }) => importName.name ?? importName.kind.toLowerCase()),
  }));
  const exports: string[] = [];
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName } of entries) {
      if (moduleRequest !== null) {
        imports.push({
          specifier: moduleRequest.value,
          names: importName.name === null ? [] : [importName.name],
        });
      }
      const name = exportName.name ?? (exportName.kind === 'Default' ? 'default' : undefined);
      if (name !== undefined) exports.push(name);
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = stringLiteral(text.slice(moduleRequest.start, moduleRequest.end));
    if (specifier !== undefined) imports.push({ specifier, names: [] });
  }
  imports.push(...requireCalls(text));
  return { imports, exports };
}

/** Imports by word rules: for what is too large or too deep to parse. Comments may mislead it; nothing makes it fail. */
export function matchModuleLinks(text: string): ModuleLinks {
  const imports = [...text.matchAll(importWords)].map((match) => ({
    specifier: match[1] ?? match[2] ?? '',
    names: [],
  }));
  return { imports, exports: [] };
}

const importWords =
  /(?:^|[;}\n])[ \t]*(?:import|export)\b[^'"`;()]{0,2000}?['"]([^'"\n]+)['"]|\b(?:require|import)\(\s*['"]([^'"\n]+)['"]\s*\)/g;

function stringLiteral(source: string): string | undefined {
  return /^['"`]([^'"`$]+)['"`]$/.exec(source)?.[1];
}

function requireCalls(text: string): ModuleImport[] {
  if (!text.includes('require(')) return [];
  return [...text.matchAll(/\brequire\(\s*['"]([^'"]+)['"]\s*\)/g)].map((match) => ({
    specifier: match[1] ?? '',
    names: [],
  }));
}

type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** Every name a module declares at its top level, and the members of its classes, interfaces and objects. */
export function parseDeclarations(path: string, text: string): Declaration[] {
  if (text.length > parserLimit) return [];
  const { program, module } = parseSync(path, text);
  const exported = new Set(
    module.staticExports.flatMap(({ entries }) => entries.map(({ localName }) => localName.name ?? '')),
  );
  const lineAt = lineFinder(text);
  const found: Declaration[] = [];
  const add = (node: Node, name: string | undefined, kind: Declaration['kind'], owner?: string) => {
    if (name === undefined) return;
    found.push({
      name,
      kind,
      line: lineAt(node.start),
      endLine: lineAt(Math.max(node.start, node.end - 1)),
      exported: exported.has(owner ?? name),
      ...(owner === undefined ? {} : { owner }),
      basis: 'parsed',
    });
  };
  for (const statement of program.body as unknown as Node[]) visitStatement(statement, add);
  return found;
}

type Add = (node: Node, name: string | undefined, kind: Declaration['kind'], owner?: string) => void;

function visitStatement(statement: Node, add: Add): void {
  const inner = asNode(statement.declaration);
  if (/^Export(?:Named|Default)Declaration$/.test(statement.type) && inner !== undefined) {
    visitDeclaration({ ...inner, start: statement.start }, add);
  } else visitDeclaration(statement, add);
}

/** Statements that declare a name: what kind of name, and which field holds its members. */
const declarationTypes: Readonly<Record<string, { kind: Declaration['kind']; members?: string }>> = {
  FunctionDeclaration: { kind: 'function' },
  TSDeclareFunction: { kind: 'function' },
  ClassDeclaration: { kind: 'class', members: 'body' },
  TSInterfaceDeclaration: { kind: 'type', members: 'body' },
  TSTypeAliasDeclaration: { kind: 'type', members: 'typeAnnotation' },
  TSEnumDeclaration: { kind: 'type' },
  TSModuleDeclaration: { kind: 'other' },
};

function visitDeclaration(node: Node, add: Add): void {
  const declares = declarationTypes[node.type];
  if (declares !== undefined) {
    const name = nameOf(node.id);
    add(node, name, declares.kind);
    if (declares.members !== undefined) visitMembers(asNode(node[declares.members]), name, add);
  } else if (node.type === 'VariableDeclaration') {
    for (const declarator of asNodes(node.declarations)) visitDeclarator(node, declarator, add);
  } else if (node.type === 'ExpressionStatement') visitAssignment(asNode(node.expression), add);
}

function visitDeclarator(statement: Node, declarator: Node, add: Add): void {
  const [name, value] = [nameOf(declarator.id), asNode(declarator.init)];
  const isFunction = value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression';
  add({ ...declarator, start: statement.start }, name, isFunction ? 'function' : 'variable');
  if (value?.type === 'ObjectExpression') visitMembers(value, name, add);
  if (value?.type === 'ClassExpression') visitMembers(asNode(value.body), name, add);
}

/** `Router.prototype.use = function …`, `exports.parse = …`: the last name of the left side. */
function visitAssignment(expression: Node | undefined, add: Add): void {
  if (expression?.type !== 'AssignmentExpression') return;
  const left = asNode(expression.left);
  if (left?.type === 'MemberExpression') add(expression, nameOf(left.property), 'function');
}

function visitMembers(body: Node | undefined, owner: string | undefined, add: Add): void {
  if (body === undefined || owner === undefined) return;
  const members = [...asNodes(body.body), ...asNodes(body.members), ...asNodes(body.properties)];
  for (const member of members) {
    const key = asNode(member.key);
    const name = key?.type === 'PrivateIdentifier' ? `#${nameOf(key) ?? ''}` : nameOf(key);
    const value = asNode(member.value);
    const isFunction =
      /Method/.test(member.type) ||
      value?.type === 'ArrowFunctionExpression' ||
      value?.type === 'FunctionExpression';
    add(member, name, isFunction ? 'method' : 'variable', owner);
  }
}

function nameOf(value: unknown): string | undefined {
  const node = asNode(value);
  if (typeof node?.name === 'string') return node.name;
  return typeof node?.value === 'string' ? node.value : undefined;
}

function asNode(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null && 'type' in value ? (value as Node) : undefined;
}

function asNodes(value: unknown): Node[] {
  return Array.isArray(value) ? value.flatMap((item) => asNode(item) ?? []) : [];
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

/** A name that a file declares, where, and how sure we are: `parsed` by a real parser, `matched` by a word rule. */
export type Declaration = {
  name: string;
  kind: 'function' | 'class' | 'method' | 'type' | 'variable' | 'other';
  line: number;
  endLine: number;
  exported: boolean;
  /** The class or object it belongs to. */
  owner?: string;
  basis: 'parsed' | 'matched';
};

type MatchRule = { kind: Declaration['kind']; pattern: RegExp };

/** Declarations of languages we have no parser for, by the word before the name. */
const matchRules: readonly MatchRule[] = [
  {
    kind: 'class',
    pattern:
      /^[ \t]*(?:(?:public|private|protected|internal|abstract|final|sealed|static|data|export|pub(?:\([a-z]+\))?|partial|case|open)\s+)*(?:class|struct|interface|trait|enum|object|module|protocol|record|impl)\s+([A-Za-z_]\w*)/,
  },
  {
    kind: 'function',
    pattern:
      /^[ \t]*(?:(?:public|private|protected|internal|static|final|async|export|default|pub(?:\([a-z]+\))?|override|virtual|inline|suspend|open|unsafe|extern)\s+)*(?:def|func|fn|fun|function|sub|defp?|defmacro)\s+(?:\([^)]*\)\s*)?([A-Za-z_$]\w*[?!]?)/,
  },
  {
    kind: 'type',
    pattern: /^[ \t]*(?:export\s+|pub\s+)?(?:type|typedef|typealias|newtype)\s+([A-Za-z_]\w*)/,
  },
  {
    kind: 'variable',
    pattern: /^(?:export\s+)?(?:const|let|var|val|static)\s+([A-Za-z_$]\w*)|^([A-Z][A-Z0-9_]{2,})\s*=/,
  },
];

/** Names a text seems to declare, line by line; needs no parser and never fails. */
export function matchDeclarations(text: string): Declaration[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.length > 400) return [];
    for (const { kind, pattern } of matchRules) {
      const match = pattern.exec(line);
      const name = match?.[1] ?? match?.[2];
      if (name === undefined) continue;
      const at = index + 1;
      const exported = /^\s*(?:export|pub|public)\b/.test(line);
      return [{ name, kind, line: at, endLine: at, exported, basis: 'matched' as const }];
    }
    return [];
  });
}
