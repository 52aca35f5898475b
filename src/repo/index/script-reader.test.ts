import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { indexRepository } from './repository-index.ts';
import { declareAside, startScriptReader } from './script-reader.ts';

const importing = "import b from './b.ts';\n";

/** Code that is nested as often as one likes: before, each level, inside, each level's end, after. */
const shapes: Readonly<Record<string, readonly [string, string, string, string, string]>> = {
  parentheses: ['', '(', '1', ')', ''],
  'parentheses that stay open': ['', '(', '', '', ''],
  brackets: ['', '[', '1', ']', ''],
  'template literals': ['let a=', '`${', '1', '}`', ''],
  JSX: ['', '<a>', 'x', '</a>', ''],
  generics: ['type A=', 'X<', '1', '>', ''],
  unions: ['type A=', 'B|', 'C', '', ''],
  'unary operators': ['', '!', '1', '', ''],
  'binary operators': ['', '1+', '1', '', ''],
  conditions: ['', 'a?b:', '1', '', ''],
  'arrow functions': ['', 'a=>', '1', '', ''],
  members: ['a', '.b', '', '', ''],
};

const deep = Object.entries(shapes).map(([name, [before, open, inside, close, after]]) => {
  const levels = Math.min(60_000, Math.floor(380_000 / (open.length + close.length)));
  const code = `${before}${open.repeat(levels)}${inside}${close.repeat(levels)}${after}`;
  return { path: `${name}.tsx`, text: `${importing}${code}` };
});
/** The parser tries every level of this twice: with thirty of them it would need hours. */
const endless = {
  path: 'endless.ts',
  text: `${importing}type A=${'(infer B extends '.repeat(30)}C${')?1:1'.repeat(30)}`,
};
const plain = { path: 'plain.ts', text: importing };

test('code of any shape, however deep, ends only the process that parses it', async () => {
  const reader = startScriptReader({ milliseconds: 10_000, failures: deep.length });
  const readings = await reader.read([...deep, plain]).finally(() => reader.close());
  expect([...readings.keys()]).toEqual([...deep.map(({ path: name }) => name), 'plain.ts']);
  expect(readings.get('plain.ts')?.basis).toBe('parsed');
  const matched = [...readings].filter(([, { basis }]) => basis === 'matched');
  expect(matched.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'parentheses.tsx',
      'JSX.tsx',
      'unary operators.tsx',
      'binary operators.tsx',
      'conditions.tsx',
    ]),
  );
  // One that was parsed, but too slowly, has its names too.
  for (const [, { links }] of matched)
    expect(links.imports.map(({ specifier }) => specifier)).toEqual(['./b.ts']);
});

test('skips code that hangs the parser and parses the rest of its batch', async () => {
  const reader = startScriptReader({ milliseconds: 2_000, failures: 4 });
  const readings = await reader
    .read([plain, endless, { ...plain, path: 'after.ts' }])
    .finally(() => reader.close());
  expect(Object.fromEntries([...readings].map(([name, { basis }]) => [name, basis]))).toEqual({
    'plain.ts': 'parsed',
    'endless.ts': 'matched',
    'after.ts': 'parsed',
  });
});

test('after as many failures as a reader puts up with, word rules read the rest', async () => {
  const reader = startScriptReader({ milliseconds: 10_000, failures: 1 });
  const [bad] = deep;
  if (bad === undefined) throw new Error('no deep code');
  const readings = await reader.read([bad, plain]).finally(() => reader.close());
  expect([...readings.values()].map(({ basis }) => basis)).toEqual(['matched', 'matched']);
  expect(readings.get('plain.ts')?.links.imports).toEqual([{ specifier: './b.ts', names: [] }]);
});

test('an index names unparsed scripts and matches their declarations by words', async () => {
  const file = ({ path: name, text }: { path: string; text: string }) => ({
    path: name,
    oid: name,
    size: text.length,
    text,
  });
  const source = readFileSync(path.join(import.meta.dirname, 'parse-script.ts'), 'utf8');
  const tail = 'export function found() {}\n';
  const files = [
    file({ path: 'deep.ts', text: `${tail}${'('.repeat(60_000)}` }),
    file({ path: 'long.ts', text: source.repeat(60).slice(0, 380_000) }),
    file({
      path: 'table.ts',
      text: `export const table = {\n${"  key: { name: 'a (b', value: c ? d : e },\n".repeat(5000)}};\n`,
    }),
  ];
  const index = await indexRepository({ commit: 'c', files, skipped: [], history: [] });
  expect(index.unparsed).toEqual(['deep.ts']);
  expect(index.declarationsOf('deep.ts')).toMatchObject([{ name: 'found', basis: 'matched' }]);
  expect(index.declarationsOf('table.ts')[0]).toMatchObject({ name: 'table', basis: 'parsed' });
});

test('parses declarations of an untried file in a separate process', () => {
  const text = 'export class Bucket { take() {} }\n';
  expect(declareAside({ path: 'a.ts', text }).map(({ name }) => name)).toEqual(['Bucket', 'take']);
  expect(declareAside({ path: 'a.ts', text: `${text}${'('.repeat(60_000)}` })).toEqual([]);
});
