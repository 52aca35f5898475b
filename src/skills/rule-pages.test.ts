import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { rulePages } from './explain.ts';

const folder = path.resolve(import.meta.dirname, '../../docs/reference/rules');

test('F-34 S-111 every rule has its page and no page is out of date (run `npm run docs`)', () => {
  const pages = rulePages();
  expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort());
  for (const [file, text] of pages) expect(readFileSync(path.join(folder, file), 'utf8')).toBe(text);
});
