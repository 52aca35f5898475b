import { isRecord, readJson } from '../../base/safe-json.ts';
import { joinPath } from './import-graph.ts';
import type { RepositoryIndex } from './repository-index.ts';

/** A file outsiders depend on, and how we know. */
export type PublicSurface = { path: string; why: string };

const routeRule =
  /\b(?:router|app|server|route|api)\.(?:add|get|post|put|patch|delete|route|all)\(\s*['"`][A-Z/]/;

/** The files that are the outside of the repository: package entries, executables, HTTP routes, schemas of interfaces. */
export function publicSurface(index: RepositoryIndex): Map<string, PublicSurface> {
  const found = new Map<string, PublicSurface>();
  const add = (path: string, why: string) => {
    if (index.byPath.has(path) && !found.has(path)) found.set(path, { path, why });
  };
  for (const { path, file, kind } of index.files) {
    if (/(?:^|\/)package\.json$/.test(path)) {
      for (const entry of packageEntries(file.text))
        add(sourceOf(index, joinPath(folder(path), entry)), `entry of ${path}`);
    }
    if (kind === 'source' && routeRule.test(file.text)) add(path, 'declares HTTP routes');
    if (/\.(?:proto|graphql|graphqls)$|(?:^|\/)openapi\.(?:ya?ml|json)$/.test(path))
      add(path, 'describes an interface');
  }
  return found;
}

const folder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function packageEntries(text: string): string[] {
  const reading = readJson(text);
  if (!reading.ok || !isRecord(reading.value)) return [];
  const { main, module, types, bin, exports } = reading.value;
  return [main, module, types, bin, exports].flatMap(stringsIn).filter((entry) => !entry.includes('*'));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isRecord(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** The source behind a built entry: `dist/index.js` is most often `src/index.ts`. */
function sourceOf(index: RepositoryIndex, entry: string): string {
  const bare = entry.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '');
  const places = [bare, bare.replace(/(^|\/)(?:dist|lib|build|out)\//, '$1src/')];
  const tries = [
    entry,
    ...places.flatMap((place) => ['.ts', '.tsx', '.mts', '.js', '.mjs'].map((end) => place + end)),
  ];
  return tries.find((path) => index.byPath.has(path)) ?? entry;
}
