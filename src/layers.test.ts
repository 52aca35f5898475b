import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The folders of `src`. A folder imports only from itself and from those before it. */
const layers = [
  'base',
  'engine',
  'repo',
  'agents',
  'prompts',
  'plan',
  'council',
  'skills',
  'workflows',
  'service',
  'surfaces',
  'main',
];

const files = readdirSync(import.meta.dirname, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

function importsOf(file: string): string[] {
  const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    path.join(path.dirname(file), match[1] ?? ''),
  );
}

const layerOf = (file: string) => layers.indexOf(file.split(path.sep)[0] ?? '');

test('every file belongs to a layer', () => {
  expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
});

test('a layer imports only from the layers below it', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => layerOf(target) > layerOf(file))
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test('no surface imports another one', () => {
  const surfaceOf = (file: string) => file.split(path.sep).slice(0, 2).join('/');
  const crossing = files
    .filter((file) => file.startsWith(`surfaces${path.sep}`))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('surfaces') && surfaceOf(target) !== surfaceOf(file))
        .map((target) => `${file} → ${target}`),
    );
  expect(crossing).toEqual([]);
});

test('the check sees static and dynamic imports', () => {
  expect(importsOf('main/program.ts')).toContain('base/errors.ts');
  expect(importsOf('main/commands.ts').length).toBeGreaterThan(20);
});
