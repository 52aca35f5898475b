import { expect, test } from 'vitest';
import { LineSplitter, Tail } from './output.ts';

const bytes = [...Buffer.from('Schlüssel 🔑 fehlt\r\nzweite')].map((byte) => Uint8Array.of(byte));

test('the last words of a program keep the letters that a chunk cuts in two', () => {
  const tail = new Tail();
  for (const byte of bytes) tail.push(byte);
  expect(tail.text).toBe('Schlüssel 🔑 fehlt\r\nzweite');
});

test('so do its lines', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter(1000, (line) => lines.push(line));
  for (const byte of bytes) splitter.push(byte);
  splitter.end();
  expect(lines).toEqual(['Schlüssel 🔑 fehlt', 'zweite']);
});
