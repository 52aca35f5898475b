import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { AppendLog, readLog } from './event-log.ts';

let file: string;

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-log-')), 'log.jsonl');
});

test('keeps the first entry of an id and ignores later ones', () => {
  const log = new AppendLog<{ id: string; word: string }>(file);
  expect(log.append({ id: 'a', word: 'first' })).toEqual({ entry: { id: 'a', word: 'first' }, added: true });
  expect(log.append({ id: 'a', word: 'second' })).toEqual({
    entry: { id: 'a', word: 'first' },
    added: false,
  });
  log.close();
  expect(readFileSync(file, 'utf8')).toBe('{"id":"a","word":"first"}\n');
});

test('ignores entries after the close: the run continues elsewhere', () => {
  const log = new AppendLog<{ id: string; value: number }>(file);
  log.append({ id: 'a', value: 1 });
  log.close();
  expect(log.append({ id: 'b', value: 2 })).toEqual({ entry: { id: 'b', value: 2 }, added: false });
  expect(readFileSync(file, 'utf8')).toBe('{"id":"a","value":1}\n');
});

test('cuts off a line truncated by a kill and writes the repeated entry whole', () => {
  writeFileSync(file, '{"id":"a"}\n{"id":"b","te');
  const log = new AppendLog<{ id: string; text?: string }>(file);
  expect([...log.entries]).toEqual([{ id: 'a' }]);
  log.append({ id: 'b', text: 'whole' });
  log.close();
  expect(readLog(file)).toEqual([{ id: 'a' }, { id: 'b', text: 'whole' }]);
});

test('empties a file of one truncated line', () => {
  writeFileSync(file, `{"id":"${'x'.repeat(200_000)}`);
  new AppendLog(file).close();
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('skips lines that are not entries', () => {
  appendFileSync(file, 'garbage\n[1]\n{"no":"id"}\n{"id":"a"}\n');
  expect(readLog(file)).toEqual([{ id: 'a' }]);
});

test('wherever a writer is killed, the whole lines before that place survive', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 8 }), fc.nat(), (words, cut) => {
      const lines = words.map((word, index) => `${JSON.stringify({ id: String(index), word })}\n`);
      const bytes = Buffer.from(lines.join(''));
      writeFileSync(file, bytes.subarray(0, cut % (bytes.length + 1)));
      const log = new AppendLog<{ id: string; word: string }>(file);
      const known = [...log.entries].map(({ word }) => word);
      expect(known).toEqual(words.slice(0, known.length));
      for (const [index, word] of words.entries()) log.append({ id: String(index), word });
      log.close();
      expect(readFileSync(file)).toEqual(bytes);
    }),
    { numRuns: 100 },
  );
});
