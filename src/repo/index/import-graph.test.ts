import { expect, test } from 'vitest';
import { buildImportGraph, joinPath } from './import-graph.ts';
import { readModuleLinks } from './parse-script.ts';
import type { SnapshotFile } from './snapshot.ts';

function graphOf(texts: Record<string, string>) {
  const files: SnapshotFile[] = Object.entries(texts).map(([path, text]) => ({
    path,
    text,
    oid: path,
    size: 0,
  }));
  return buildImportGraph(files, ({ path, text }) => readModuleLinks(path, text).imports);
}

test('relative imports resolve to sources, endings, folders and compiled names', () => {
  const { imports, importers } = graphOf({
    'src/a.ts': `import './b.js'; import './c'; import './d'; import '../../../up.ts'; import 'node:fs';`,
    'src/b.ts': '',
    'src/c.tsx': '',
    'src/d/index.ts': '',
    'up.ts': '',
  });
  expect(imports.get('src/a.ts')).toEqual(['src/b.ts', 'src/c.tsx', 'src/d/index.ts', 'up.ts']);
  expect(importers.get('src/b.ts')).toEqual(['src/a.ts']);
});

test('packages of the same repository resolve by name', () => {
  const { imports } = graphOf({
    'packages/core/package.json': '{"name":"@x/core"}',
    'packages/core/src/index.ts': '',
    'packages/core/src/deep.ts': '',
    'app.ts': `import '@x/core'; import '@x/core/deep'; import '@x/core-other';`,
  });
  expect(imports.get('app.ts')).toEqual(['packages/core/src/deep.ts', 'packages/core/src/index.ts']);
});

test('Python imports resolve by dotted name and by dots', () => {
  const { imports } = graphOf({
    'src/flask/app.py': 'from . import helpers\nfrom .json import dumps\nimport flask.globals\n',
    'src/flask/__init__.py': '',
    'src/flask/json/__init__.py': '',
    'src/flask/globals.py': '',
  });
  expect(imports.get('src/flask/app.py')).toEqual([
    'src/flask/__init__.py',
    'src/flask/globals.py',
    'src/flask/json/__init__.py',
  ]);
});

test('a path cannot climb above the root', () => {
  expect(joinPath('a/b', '../../../c')).toBe('c');
});
