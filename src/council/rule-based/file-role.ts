import type { IndexedFile, RepositoryIndex } from '../../repo/index/repository-index.ts';

/** What a source file is for in the program; decides what a plan says about it. */
export type FileRole =
  | 'routes'
  | 'middleware'
  | 'composition'
  | 'configuration'
  | 'errors'
  | 'storage'
  | 'service'
  | 'interface'
  | 'rules'
  | 'document'
  | 'test';

const byName: readonly { role: FileRole; pattern: RegExp }[] = [
  { role: 'configuration', pattern: /(?:^|\/)(?:config|configuration|settings|env|options)\.[^/]+$/i },
  { role: 'errors', pattern: /(?:^|\/)(?:errors?|exceptions?)\.[^/]+$/i },
  { role: 'routes', pattern: /(?:^|\/)(?:[\w-]*routes?|controllers?|endpoints?|views|urls)\.[^/]+$/i },
  { role: 'middleware', pattern: /(?:middleware|handle|handler|authenticate|interceptor|filter)s?\.[^/]+$/i },
  { role: 'storage', pattern: /(?:store|storage|repository|dao|database|migration)s?(?:\/|\.)/i },
  { role: 'service', pattern: /(?:service|manager|usecase|use-case)s?\.[^/]+$/i },
];

const routeRule =
  /\b(?:router|app|server|route)\.(?:add|get|post|put|patch|delete|route|all)\(\s*['"`][A-Z/]/;

export function roleOf(index: RepositoryIndex, file: IndexedFile): FileRole {
  if (file.kind === 'document' || file.kind === 'test') return file.kind;
  const named = byName.find(({ pattern }) => pattern.test(file.path));
  if (named !== undefined) return named.role;
  if (routeRule.test(file.file.text)) return 'routes';
  const imports = index.graph.imports.get(file.path)?.length ?? 0;
  const importers = (index.graph.importers.get(file.path) ?? []).filter(
    (path) => !index.tests.tests.has(path),
  ).length;
  if (imports >= 6 && importers <= 3) return 'composition';
  const declarations = index.declarationsOf(file.path).filter(({ owner }) => owner === undefined);
  if (declarations.length > 0 && declarations.every(({ kind }) => kind === 'type')) return 'interface';
  return declarations.some(({ kind }) => kind === 'class') ? 'service' : 'rules';
}
