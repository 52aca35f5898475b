import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { floors } from '../test/rooms.ts';

const source = path.resolve(import.meta.dirname);
const order = Object.keys(floors);
const floorOf = new Map(
  Object.entries(floors).flatMap(([floor, rooms]) =>
    rooms.map((room) => [room as string, order.indexOf(floor)]),
  ),
);

const files = readdirSync(source, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

function importsOf(file: string): string[] {
  const text = readFileSync(path.join(source, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    path.relative(source, path.resolve(source, path.dirname(file), match[1] ?? '')),
  );
}

const roomOf = (file: string) => file.split(path.sep)[0] ?? '';

test('every file stands in a known room', () => {
  expect(files.filter((file) => !floorOf.has(roomOf(file)))).toEqual([]);
});

test('imports go downward only', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => roomOf(target) !== roomOf(file))
      .filter((target) => {
        const [from, to] = [floorOf.get(roomOf(file)) ?? -1, floorOf.get(roomOf(target)) ?? 99];
        return to > from;
      })
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test('the check itself sees imports', () => {
  expect(importsOf('cli/program.ts')).toContain('errors.ts');
});
