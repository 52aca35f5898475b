import { expect, test } from 'vitest';
import { buildImportGraph } from './import-graph.ts';
import { readQuery } from './search-query.ts';
import { createVocabulary } from './words.ts';

// A pattern that looks back from every character needs minutes for these; the limit of the test is what it fails by.
const size = 1_000_000;
const many = (piece: string, length = size) => piece.repeat(Math.floor(length / piece.length));

test.each([
  ['words without an end', many('a')],
  ['a path without an end', many('a/')],
  ['dots', many('.')],
])('a description of %s', (_, text) => {
  const query = readQuery(`Change ${text} in src/app.ts`, createVocabulary());
  expect(query.mentions('src/app.ts')).toBeGreaterThan(0);
});

test.each([
  ['main.py', many('\n'), 'import helper\n'],
  ['main.rb', many('\n'), "require './helper'\n"],
  ['main.rb', `require${many(' ')}x\n`, "require './helper'\n"],
  ['main.c', many('\n'), '#include "helper.h"\n'],
  ['main.rs', many('\n'), 'mod helper;\n'],
  ['main.vue', many('\n'), "import a from './helper.ts'\n"],
  ['main.vue', many('import a\n'), "\n'';\nimport a from './helper.ts'\n"],
])('imports of %s', (path, hostile, own) => {
  const helpers = ['helper.py', 'helper.rb', 'helper.h', 'helper.rs', 'helper.ts'];
  const texts = [{ path, text: hostile + own }, ...helpers.map((name) => ({ path: name, text: '' }))];
  const files = texts.map((file) => ({ ...file, oid: file.path, size: 0 }));
  const { imports } = buildImportGraph(files, () => []);
  expect(imports.get(path)).toEqual([expect.stringMatching(/^helper\./)]);
});
