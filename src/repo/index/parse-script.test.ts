import { expect, test } from 'vitest';
import { matchDeclarations, matchModuleLinks, parseDeclarations, readModuleLinks } from './parse-script.ts';

const source = `import type { A } from './a.ts';
import b, { c as d } from 'b';
export { e } from './e.ts';
const f = require('./f');
const g = await import('./g.ts');
export class Service {
  #hidden = 1;
  async place(id: string) { return id; }
}
export interface Store { get(id: string): string }
export type Shape = { size: number };
export const make = () => 1;
const table = { run() {}, name: 'x' };
export default function main() {}
Service.prototype.later = function () {};
`;

test('imports, re-exports, require and import() are links', () => {
  const { imports, exports } = readModuleLinks('x.ts', source);
  expect(imports.map(({ specifier }) => specifier)).toEqual(['./a.ts', 'b', './e.ts', './g.ts', './f']);
  expect(exports).toEqual(expect.arrayContaining(['e', 'Service', 'Store', 'Shape', 'make', 'default']));
});

test('word rules find the same links', () => {
  const found = matchModuleLinks(source).imports.map(({ specifier }) => specifier);
  expect(found.sort()).toEqual(['./a.ts', './e.ts', './f', './g.ts', 'b']);
});

test('declarations have kinds, lines, owners', () => {
  const found = parseDeclarations('x.ts', source);
  const brief = found.map(({ name, kind, line, owner }) => [name, kind, line, owner]);
  expect(brief).toEqual(
    expect.arrayContaining([
      ['Service', 'class', 6, undefined],
      ['#hidden', 'variable', 7, 'Service'],
      ['place', 'method', 8, 'Service'],
      ['get', 'method', 10, 'Store'],
      ['size', 'variable', 11, 'Shape'],
      ['make', 'function', 12, undefined],
      ['run', 'method', 13, 'table'],
      ['main', 'function', 14, undefined],
      ['later', 'function', 15, undefined],
    ]),
  );
  expect(found.find(({ name }) => name === 'Service')).toMatchObject({ exported: true, endLine: 9 });
  expect(found.find(({ name }) => name === 'table')).toMatchObject({ exported: false });
});

test('a file that does not parse gives nothing and breaks nothing', () => {
  expect(() => parseDeclarations('x.ts', 'export class {{{')).not.toThrow();
  expect(readModuleLinks('x.ts', '\0\0').imports).toEqual([]);
});

test('other languages are matched by words', () => {
  const python = 'class Flask(App):\n    def route(self):\n        pass\nLIMIT = 3\n';
  expect(matchDeclarations(python).map(({ name, line }) => [name, line])).toEqual([
    ['Flask', 1],
    ['route', 2],
    ['LIMIT', 4],
  ]);
  expect(
    matchDeclarations('func (s *Store) Get(id string) {}\npub fn run() {}').map(({ name }) => name),
  ).toEqual(['Get', 'run']);
});
